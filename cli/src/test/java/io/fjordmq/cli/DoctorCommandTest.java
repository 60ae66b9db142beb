package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cli.api.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The command checks the machine that runs the tests, with a script in place of the broker. */
class DoctorCommandTest {
  private static final String CONFIGURATION =
      """
      [{"key":"dataDir","value":"data"},
       {"key":"mqttServerConfig.tcpListener.port","value":"0"},
       {"key":"mqttServerConfig.tcpListener.maxConnections","value":"10"},
       {"key":"clusterConfig.seedEndpoints","value":"%s"}]
      """;

  @TempDir Path home;

  @BeforeEach
  void install() throws IOException {
    Files.createDirectories(home.resolve("broker-server/target/fjordmq/lib"));
    System.setProperty("fjordmq.home", home.toString());
    System.setProperty("fjordmq.lib", home.resolve("broker-server/target/fjordmq/lib").toString());
    System.setProperty("fjordmq.configuration", "/etc/fjordmq.yml");
    System.setProperty("fjordmq.java", home.resolve("java").toString());
  }

  @AfterEach
  void uninstall() {
    List.of("fjordmq.home", "fjordmq.lib", "fjordmq.configuration", "fjordmq.java")
        .forEach(System::clearProperty);
  }

  /** The broker prints this and exits with a code. */
  private void broker(String out, int code) throws IOException {
    Files.writeString(home.resolve("out"), out);
    Path script = home.resolve("java");
    Files.writeString(
        script,
        "#!/bin/bash\ncat out\n[ %d = 0 ] || echo 'invalid: x' >&2\nexit %d\n"
            .formatted(code, code));
    assertThat(script.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void shouldPrintJson() throws IOException {
    broker(CONFIGURATION.formatted(""), 0);
    Cli.Result result = new Cli().line("doctor --json");
    JsonNode findings = Json.parse(result.out());
    assertThat(findings.size()).isGreaterThan(5);
    assertThat(findings)
        .allSatisfy(
            finding ->
                assertThat(finding.propertyNames())
                    .containsExactly("check", "status", "found", "expected", "why", "fix"));
    assertThat(findings).anyMatch(finding -> finding.path("check").asString("").equals("memory"));
    boolean hasProblem =
        findings
            .valueStream()
            .anyMatch(finding -> finding.path("status").asString("").equals("problem"));
    assertThat(result.code()).isEqualTo(hasProblem ? 1 : 0);
  }

  /** The seed is neither an address nor a name, so this needs no DNS. */
  @Test
  void shouldExplainFindingsOnATerminal() throws IOException {
    broker(CONFIGURATION.formatted("fe80::no-address:1"), 0);
    Cli.Result result = new Cli().terminal(80).line("doctor --no-disk-test --strict");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out())
        .contains("warning  seed fe80::no-address:1: cannot be resolved\n")
        .contains("         fix:      correct the name in DNS")
        .doesNotContain("fsync in");
    assertThat(result.err()).contains(" checks: ").contains(" warnings, ");
  }

  @Test
  void shouldPrintColumnsOtherwise() throws IOException {
    broker(CONFIGURATION.formatted(""), 0);
    assertThat(new Cli().line("doctor --no-disk-test").out())
        .startsWith("STATUS\tCHECK\tFOUND\tEXPECTED\tWHY\tFIX\n");
  }

  @Test
  void shouldReportAnInvalidConfiguration() throws IOException {
    broker("", 2);
    assertThat(new Cli().line("doctor")).isEqualTo(new Cli.Result(1, "", "invalid: x\n"));
  }

  @Test
  void shouldRequireAtLeastOneConnection() {
    for (String count : List.of("-5", "0", "many")) {
      Cli.Result result = new Cli().line("doctor --connections " + count);
      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err()).contains("--connections").contains(count);
    }
  }
}
