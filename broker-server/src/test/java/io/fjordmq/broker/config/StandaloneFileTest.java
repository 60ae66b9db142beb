package io.fjordmq.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.net.ListenerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** conf/standalone.yml lists exactly the keys of the configuration records. */
class StandaloneFileTest {
  private static final Path FILE = Path.of("../conf/standalone.yml");

  @TempDir Path folder;

  @Test
  void shouldListEveryKeyWithItsDefault() throws IOException {
    Map<String, String> expected = new TreeMap<>();
    ConfigSchema.of(BrokerConfig.defaults())
        .keys()
        .forEach((path, key) -> expected.put(path, ValueText.print(key.defaultValue())));
    List<String> problems = new ArrayList<>();
    Map<String, String> found = new TreeMap<>();
    for (ConfigValue entry : YamlFile.read(enableAllKeys(), problems)) {
      if (!entry.section()) {
        found.put(entry.key(), canonical(entry));
      }
    }
    assertThat(problems).isEmpty();
    Map<String, String> missing = new TreeMap<>(expected);
    missing.entrySet().removeAll(found.entrySet());
    Map<String, String> wrong = new TreeMap<>(found);
    wrong.entrySet().removeAll(expected.entrySet());
    assertThat(missing)
        .as("keys of the configuration records that are missing from %s or differ", FILE)
        .isEmpty();
    assertThat(wrong).as("unknown or different keys of %s", FILE).isEmpty();
  }

  @Test
  void shouldHaveACommentOnEveryKey() throws IOException {
    assertThat(Files.readAllLines(FILE))
        .filteredOn(line -> line.matches("\\s*(# +)?[a-zA-Z]+: .*"))
        .allMatch(line -> line.contains(" # "), "has a comment");
  }

  @Test
  void shouldLoadWithoutWarning() throws ConfigException {
    ConfigLoader.LoadedConfig loaded =
        ConfigLoader.load(
            new ConfigLoader.CommandLine(FILE, null, null), Map.of(), new Properties());
    assertThat(loaded.warnings()).isEmpty();
  }

  @Test
  void shouldLoadWithEveryCommentedOutKeyEnabled() throws Exception {
    Path file = enableAllKeys();
    ConfigLoader.LoadedConfig loaded =
        ConfigLoader.load(
            new ConfigLoader.CommandLine(file, null, null), Map.of(), new Properties());
    assertThat(loaded.config().mqttServerConfig().listeners())
        .extracting(ListenerSettings::key)
        .containsExactly(
            "mqttServerConfig.tcpListener",
            "mqttServerConfig.tlsListener",
            "mqttServerConfig.wsListener",
            "mqttServerConfig.wssListener",
            "mqttServerConfig.unixListener");
  }

  /** Writes the file with all commented-out keys, such as the other listeners, enabled. */
  private Path enableAllKeys() throws IOException {
    List<String> lines = Files.readAllLines(FILE);
    assertThat(lines).anyMatch(line -> line.startsWith("  # tlsListener: "));
    return Files.write(
        folder.resolve("every.yml"),
        lines.stream()
            .map(line -> line.replaceFirst("^  # (?= *[a-zA-Z]+: .* # )", "  "))
            .toList());
  }

  /** 32 MiB and 33554432 denote the same value. */
  private static String canonical(ConfigValue entry) {
    ConfigSchema.Key key = ConfigSchema.of(BrokerConfig.defaults()).keys().get(entry.key());
    Objects.requireNonNull(key, entry.key());
    return ValueText.print(ValueText.parse(entry.text(), key.type()));
  }
}
