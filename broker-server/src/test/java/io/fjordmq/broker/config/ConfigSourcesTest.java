package io.fjordmq.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.config.ConfigLoader.CommandLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration of a process together with the values set through the API. */
class ConfigSourcesTest {
  private static final String QUEUE = "sessionConfig.maxQueuedMessages";

  @TempDir Path dir;

  private final Properties properties = new Properties();
  private Map<String, String> environment = Map.of();

  private ConfigSources sources(String yaml) throws IOException, ConfigException {
    Path file = dir.resolve("standalone.yml");
    Files.writeString(file, yaml);
    return ConfigLoader.load(new CommandLine(file, null, null), environment, properties).sources();
  }

  private static ConfigEntry entry(ConfigSources sources, Map<String, String> api, String key)
      throws ConfigException {
    return sources.entries(api, api).stream()
        .filter(entry -> entry.key().equals(key))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldPreferTheApiToTheFileAndTheProcessToTheApi() throws Exception {
    String yaml = "sessionConfig:\n  maxQueuedMessages: 7\n";
    Map<String, String> api = Map.of(QUEUE, "500");
    ConfigSources ofFile = sources(yaml);
    assertThat(ofFile.resolve(Map.of()).sessionConfig().maxQueuedMessages()).isEqualTo(7);
    assertThat(ofFile.resolve(api).sessionConfig().maxQueuedMessages()).isEqualTo(500);
    assertThat(entry(ofFile, Map.of(), QUEUE))
        .isEqualTo(
            new ConfigEntry(
                QUEUE,
                "7",
                "1000",
                ConfigOrigin.FILE,
                dir.resolve("standalone.yml") + " line 2",
                true,
                null));
    assertThat(entry(ofFile, api, QUEUE))
        .isEqualTo(new ConfigEntry(QUEUE, "500", "1000", ConfigOrigin.API, null, true, "500"));

    environment = Map.of("FJORDMQ_SESSIONCONFIG__MAXQUEUEDMESSAGES", "8");
    ConfigEntry ofEnvironment = entry(sources(yaml), api, QUEUE);
    assertThat(ofEnvironment.value()).isEqualTo("8");
    assertThat(ofEnvironment.origin()).isEqualTo(ConfigOrigin.ENVIRONMENT);
    assertThat(ofEnvironment.source())
        .isEqualTo("environment variable FJORDMQ_SESSIONCONFIG__MAXQUEUEDMESSAGES");
    assertThat(ofEnvironment.apiValue()).isEqualTo("500");

    properties.setProperty(QUEUE, "9");
    assertThat(entry(sources(yaml), api, QUEUE).origin()).isEqualTo(ConfigOrigin.SYSTEM_PROPERTY);
  }

  @Test
  void shouldListEveryKeyWithItsDefault() throws Exception {
    List<ConfigEntry> entries = sources("bootstrap: true").entries(Map.of(), Map.of());
    assertThat(entries).extracting(ConfigEntry::key).doesNotHaveDuplicates();
    assertThat(entries).hasSizeGreaterThan(150);
    assertThat(entries)
        .filteredOn(ConfigEntry::isChanged)
        .extracting(ConfigEntry::key)
        .containsExactly("bootstrap");
    assertThat(entries)
        .filteredOn(entry -> !entry.key().equals("bootstrap"))
        .allMatch(entry -> entry.origin() == ConfigOrigin.DEFAULT && entry.source() == null);
    assertThat(entries).noneMatch(entry -> entry.key().contains("Listener"));
  }

  @Test
  void shouldListListenersTenantsAndPlugins() throws Exception {
    ConfigSources sources =
        sources(
            """
            mqttServerConfig:
              tcpListener:
                port: 1884
              wsListener:
                - port: 8083
                - port: 8085
            tenants:
              acme:
                sessionConfig:
                  maxQueuedMessages: 3
            plugins:
              my-auth:
                url: https://user:pass@example.com/
                api_key: abc
            """);
    Map<String, String> none = Map.of();
    assertThat(entry(sources, none, "mqttServerConfig.tcpListener.port").source())
        .endsWith(" line 3");
    assertThat(entry(sources, none, "mqttServerConfig.wsListener.1.port").value())
        .isEqualTo("8085");
    ConfigEntry ofTenant = entry(sources, none, "tenants.acme." + QUEUE);
    assertThat(ofTenant.value()).isEqualTo("3");
    assertThat(ofTenant.defaultValue()).isEqualTo("1000");
    assertThat(ofTenant.reloadable()).isTrue();
    assertThat(entry(sources, none, "plugins.my-auth.api-key").value()).isEqualTo("******");
    assertThat(entry(sources, none, "plugins.my-auth.url").value())
        .isEqualTo("https://******@example.com/");

    Map<String, String> shared = Map.of(QUEUE, "4", "sessionConfig.maxInflight", "5");
    assertThat(Objects.requireNonNull(sources.resolve(shared).tenants().get("acme")).session())
        .extracting("maxQueuedMessages", "maxInflight")
        .containsExactly(3, 5);
  }

  @Test
  void shouldRedactSecrets() throws Exception {
    ConfigSources sources =
        sources(
            """
            mqttServerConfig:
              tlsListener:
                keyPassword: hush
                keyFile: key.pem
            apiConfig:
              firstAdministrator:
                username: ann
                password: also secret
            telemetryConfig:
              headers: authorization=Bearer hush
            plugins:
              hook:
                httpHeaders: x-auth=hush
                dbPwd: hush
                bypassFile: pass.txt
            """);
    String listed = sources.entries(Map.of(), Map.of()).toString();
    assertThat(listed)
        .doesNotContain("hush")
        .doesNotContain("also secret")
        .contains("key.pem", "pass.txt");
    assertThat(entry(sources, Map.of(), "mqttServerConfig.tlsListener.keyPassword").value())
        .isEqualTo("******");
    assertThat(entry(sources, Map.of(), "telemetryConfig.headers").value()).isEqualTo("******");
    assertThat(entry(sources, Map.of(), "mqttServerConfig.tlsListener.keyPasswordFile").value())
        .isEmpty();
  }

  @Test
  void shouldExplainInvalidChanges() throws Exception {
    ConfigSources sources = sources("overloadConfig:\n  heapLowPercent: 60\n");
    assertThat(problems(sources, Map.of("dataDir", "x", "storageConfig.maxOpenFiles", "1")))
        .hasSize(2)
        .allMatch(problem -> problem.contains(" cannot change while nodes run"));
    assertThat(problems(sources, Map.of(QUEUE, "0")))
        .containsExactly(QUEUE + " must be between 1 and 2147483647, not 0");
    assertThat(problems(sources, Map.of(QUEUE, "many")))
        .singleElement()
        .asString()
        .startsWith(QUEUE + " must be a whole number");
    assertThat(problems(sources, Map.of("sessionConfig.maxQueued", "1")))
        .containsExactly(
            "unknown key sessionConfig.maxQueued; did you mean sessionConfig.maxQueuedBytes?");
    assertThat(problems(sources, Map.of("overloadConfig.heapHighPercent", "50")))
        .singleElement()
        .asString()
        .contains("heapLowPercent must be between 0 and 49");
    assertThat(problems(sources, Map.of("sessionConfig.maxPacketBytes", "100 MiB")))
        .singleElement()
        .asString()
        .contains("maxPacketBytes");
    assertThat(
            problems(sources, Map.of(QUEUE, "5", "tenants.acme.tenantConfig.maxConnections", "10")))
        .isEmpty();
  }

  @Test
  void shouldCheckValuesThatThisNodeOverrides() throws Exception {
    environment = Map.of("FJORDMQ_SESSIONCONFIG__MAXQUEUEDMESSAGES", "8");
    ConfigSources sources = sources("bootstrap: true");
    assertThat(problems(sources, Map.of(QUEUE, "0"))).hasSize(1);
    assertThat(problems(sources, Map.of(QUEUE, "5"))).isEmpty();
  }

  @Test
  void shouldRefuseToResolveInvalidValues() throws Exception {
    ConfigSources sources = sources("bootstrap: true");
    assertThatThrownBy(() -> sources.resolve(Map.of(QUEUE, "0")))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("API: " + QUEUE);
  }

  @Test
  void shouldNotBlameAChangeForEarlierProblems() throws Exception {
    ConfigSources sources = sources("overloadConfig:\n  heapLowPercent: 60\n");
    Map<String, String> stored = Map.of("overloadConfig.heapHighPercent", "50", QUEUE, "0");
    Map<String, String> both = new HashMap<>(stored);
    both.put("sessionConfig.maxInflight", "9");
    assertThat(sources.problems(Map.of("sessionConfig.maxInflight", "9"), stored, both)).isEmpty();
    assertThat(sources.problems(Map.of(), stored, Map.of("overloadConfig.heapHighPercent", "50")))
        .as("removal of one of two invalid values")
        .isEmpty();
    assertThat(sources.problems(Map.of(QUEUE, "0"), stored, stored))
        .as("the same invalid value again")
        .containsExactly(QUEUE + " must be between 1 and 2147483647, not 0");
  }

  @Test
  void shouldGiveHintsAboutTheFirstUnknownKeysOnly() throws Exception {
    ConfigSources sources = sources("bootstrap: true");
    Map<String, String> requested = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      requested.put("unknown" + i, "1");
    }
    List<String> problems = problems(sources, requested);
    assertThat(problems.stream().map(problem -> problem.split(";", 2)[0]).distinct())
        .as("all unknown keys")
        .hasSize(1_000);
    assertThat(problems.stream().filter(problem -> problem.contains("; ")))
        .as("hints take long")
        .hasSize(20);
  }

  private static List<String> problems(ConfigSources sources, Map<String, String> requested) {
    return sources.problems(requested, Map.of(), requested);
  }
}
