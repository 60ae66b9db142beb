package io.fjordmq.perf.tool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.benchmark.Benchmarks;
import io.fjordmq.perf.report.TargetRow;
import io.fjordmq.perf.scenario.Scale;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.ScenarioFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rejected command lines and their messages; no test here starts a broker. */
class PerfToolTest {
  @TempDir Path directory;

  private final PrintStream err = System.err;
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @BeforeEach
  void captureErrors() {
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restoreErrors() {
    System.setErr(err);
  }

  static Path root() {
    Path here = Path.of("").toAbsolutePath();
    return Files.exists(here.resolve(".mvn")) ? here : here.resolve("..").normalize();
  }

  private String refusal(String... words) {
    assertThat(new PerfTool(root(), root()).run(List.of(words))).isEqualTo(PerfTool.INCOMPLETE);
    return errors.toString(StandardCharsets.UTF_8);
  }

  private String microRefusal(String... words) {
    assertThat(new MicroCommand(root(), root()).run(List.of(words))).isEqualTo(PerfTool.INCOMPLETE);
    return errors.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldRejectInvalidArguments() {
    assertThat(refusal("walk")).contains("'walk'", "see --help");
    assertThat(refusal("run")).contains("Missing required parameter: 'SCENARIO'");
    assertThat(refusal("run", "x", "y")).contains("'y'");
    assertThat(refusal("run", "x", "--speed", "9")).contains("'--speed'");
    assertThat(refusal("run", "x", "--scale", "2"))
        .contains("--scale must be above 0 and at most 1");
    assertThat(refusal("run", "x", "--seconds", "0")).contains("--seconds", "at least 1");
    assertThat(refusal("run", "x", "--broker", "other")).contains("not 'other'");
    assertThat(refusal("run", "x", "--hosts", "nowhere")).contains("'nowhere'");
    assertThat(refusal("run", "nothing_like_it")).contains("unknown scenario 'nothing_like_it'");
    assertThat(refusal("targets", "walk")).contains("no row begins with 'walk'", "fan-out");
    assertThat(refusal("targets", "--runs", "0")).contains("--runs", "at least 1");
    assertThat(refusal("targets", "--broker", "other")).contains("not 'other'");
    assertThat(refusal("compare", "one.json")).contains("Missing required parameter: 'B.json'");
  }

  @Test
  void shouldRejectOptionsThatABenchmarkDoesNotSupport() {
    assertThat(refusal("run", "fairness", "--scale", "0.1")).contains("fairness starts its own");
    assertThat(refusal("run", "tls-storm", "--broker", "mosquitto"))
        .contains("tls-storm measures one version of FjordMQ");
    assertThat(refusal("run", "tls-storm", "--set", "speed=9"))
        .contains("no parameter 'speed'", "key=ec rate=500");
    assertThat(refusal("run", "tls-storm", "--set", "rate=fast", "--out", directory.toString()))
        .contains("--set rate must be a whole number of at least 1, not 'fast'");
    assertThat(refusal("run", "tls-storm", "--set", "key=dsa", "--out", directory.toString()))
        .contains("--set key must be ec or rsa, not 'dsa'");
    assertThat(refusal("run", "logins", "--set", "provider=none", "--out", directory.toString()))
        .contains("--set provider must be files or redis or http or jwt or", ", not 'none'");
    assertThat(refusal("run", "true_5_5_qos0_p64_10mps_1n", "--set", "rate=9"))
        .contains("a load scenario has no parameters");
  }

  @Test
  void shouldRejectANonexistentPid() {
    assertThat(
            refusal(
                "run",
                "true_5_5_qos0_p64_10mps_1n",
                "--hosts",
                "127.0.0.1:1",
                "--pids",
                "" + Integer.MAX_VALUE))
        .contains("--pids " + Integer.MAX_VALUE, "nodes on this host")
        .doesNotContain("Exception");
  }

  @Test
  void shouldListMicrobenchmarksIfTheNameIsUnknown() {
    assertThat(microRefusal("everything"))
        .contains(
            "'everything'", "decode, route-match, encode, fan-out, inbox-append, range-apply");
    assertThat(microRefusal("decode", "--forks", "0")).contains("--forks", "at least 1");
    assertThat(microRefusal("--out")).contains("Missing required parameter for option '--out'");
  }

  @Test
  void shouldRejectRequirementsThatExternalBrokersCannotMeet() {
    assertThat(
            refusal(
                "run", "v5_20k_qos1_p1024_1mps_3n", "--scale", "0.001", "--hosts", "127.0.0.1:1"))
        .contains("node-limits: ", "1 processor and 1 GiB", "--without node-limits");
    assertThat(refusal("run", "x", "--without", "clients"))
        .contains("users", "node-limits", "'clients'");
    assertThat(
            refusal("run", "mobile_device_0.1M_2n", "--scale", "0.001", "--hosts", "127.0.0.1:1"))
        .contains("users: ", "--without users");
  }

  @Test
  void shouldRejectUsersInRedisForMosquitto() {
    assertThat(refusal("run", "mobile_device_0.1M_2n", "--scale", "0.001", "--broker", "mosquitto"))
        .contains("redis: mosquitto cannot read users from this store", "--without redis");
  }

  @Test
  void shouldRejectScenariosThatABrokerCannotRun() {
    assertThat(refusal("run", "true_3_3_qos0_p32_1mps_3n", "--broker", "mosquitto"))
        .contains("mosquitto runs as a single node");
    assertThat(refusal("run", "false_3_3_qos0_p32_1mps_3n_cold", "--hosts", "127.0.0.1:1"))
        .contains("cold");
  }

  @Test
  void shouldReportWhatTenMillionConnectionsRequire() throws IOException {
    Scenario whole = new ScenarioFiles(root().resolve("perf/scenarios")).find("conn_10M_20n");
    Feasibility small = new Feasibility(20_000, 16_000_000);
    assertThat(small.obstacles(whole, 1, true))
        .anySatisfy(
            text ->
                assertThat(text)
                    .contains("10,000,000 clients", "20,000", "--scale 0.0019 would be enough"))
        .anySatisfy(text -> assertThat(text).contains("20 nodes", "--hosts"));
    Scale.Scaled fitting = Scale.nodes(new Scale(0.0019).apply(whole), Feasibility.MAX_NODES);
    assertThat(small.obstacles(fitting.scenario(), 0.0019, true)).isEmpty();
    assertThat(fitting.notes()).contains("nodes: 3 instead of 20");
    assertThat(new Feasibility(1L << 40, 1L << 40).obstacles(whole, 1, false)).isEmpty();
  }

  @Test
  void shouldReportInsufficientMemory() throws IOException {
    Scenario whole = new ScenarioFiles(root().resolve("perf/scenarios")).find("conn_tls_200k_1n");
    assertThat(new Feasibility(1 << 20, 1_000_000).obstacles(whole, 1, true))
        .singleElement()
        .asString()
        .contains("memory", "--scale 0.086 would be enough");
  }

  /** A scale suggested for one obstacle must not run into the next obstacle. */
  @Test
  void shouldSuggestAScaleThatRemovesAllObstacles() throws IOException {
    Scenario whole = new ScenarioFiles(root().resolve("perf/scenarios")).find("conn_tcp_1M_1n");
    Feasibility small = new Feasibility(500_000, 180_000);
    assertThat(small.obstacles(whole, 1, true))
        .hasSize(3)
        .allSatisfy(text -> assertThat(text).contains("--scale 0.01 would be enough"));
    assertThat(small.obstacles(new Scale(0.01).apply(whole).scenario(), 0.01, true)).isEmpty();
  }

  /** A row that no measured broker can run does not stop the command. */
  @Test
  void shouldReportRowsThatABrokerCannotRun() throws IOException {
    String error =
        refusal(
            "targets", "three-nodes-qos2", "--broker", "mosquitto", "--out", directory.toString());
    assertThat(error).contains("some rows could not be measured");
    try (Stream<Path> files = Files.list(directory)) {
      Path table = files.filter(file -> file.toString().endsWith(".md")).findFirst().orElseThrow();
      assertThat(Files.readString(table))
          .contains("three-nodes-qos2", "mosquitto runs as a single node");
    }
  }

  /** Every row names a scenario or benchmark that exists, with parameters that it has. */
  @Test
  void shouldFindTheScenarioOfEachTarget() throws IOException {
    ScenarioFiles files = new ScenarioFiles(root().resolve("perf/scenarios"));
    Map<String, TargetRow> rows = TargetRow.read(TargetsCommand.file(root()));
    assertThat(rows).isNotEmpty();
    rows.values()
        .forEach(
            row ->
                Benchmarks.find(row.run())
                    .ifPresentOrElse(
                        benchmark ->
                            benchmark.parametersWith(
                                Objects.requireNonNullElse(row.set(), Map.of())),
                        () -> assertThat(files.find(row.run())).isNotNull()));
  }

  @Test
  void shouldListUnsupportedNodeLimits() throws IOException {
    ScenarioFiles files = new ScenarioFiles(root().resolve("perf/scenarios"));
    assertThat(new ScenarioList(files, limits -> Optional.of("version 2")).text())
        .contains(
            "v5_20k_qos1_p1024_1mps_3n", "1 processor and 1 GiB; on this host, requires --without")
        .contains("published: ");
    assertThat(new ScenarioList(files, limits -> Optional.empty()).text())
        .contains("each node is limited to 1 processor and 1 GiB\n")
        .doesNotContain("--without");
  }

  /** The directory has no sources, so that a build would fail. */
  @Test
  void shouldNotBuildForAMistypedCommand() throws Exception {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    for (String script : List.of("lib.sh", "perf.sh")) {
      Files.copy(root().resolve("bin").resolve(script), bin.resolve(script));
    }
    assertThat(script(bin, 2, "rum")).contains("unknown command 'rum'").doesNotContain("building");
    assertThat(script(bin, 0, "run", "--help")).contains("--scale").doesNotContain("building");
  }

  private static String script(Path bin, int code, String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("bash", bin.resolve("perf.sh").toString()));
    command.addAll(List.of(words));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isEqualTo(code);
    return output;
  }

  @Test
  void shouldRequireAnOptionForOtherHosts() {
    assertThat(refusal("run", "true_3_3_qos0_p32_1mps_1n", "--hosts", "192.0.2.1:1883"))
        .contains("192.0.2.1", "not this host", "--remote");
  }
}
