package io.fjordmq.perf.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.perf.report.ParsedReport;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.perf.users.UserServices;
import io.fjordmq.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every benchmark runs at its smallest size and reports its figures without faults. */
@Tag("slow")
class BenchmarkSmokeTest {
  @TempDir Path out;

  private ParsedReport run(String name, String... options) throws IOException {
    return execute("run", name, options);
  }

  private ParsedReport execute(String command, String name, String... options) throws IOException {
    List<String> words = new ArrayList<>(List.of(command, name, "--runs", "1"));
    words.addAll(List.of("--out", out.toString()));
    if (!List.of(options).contains("--seconds")) {
      words.addAll(List.of("--seconds", "1"));
    }
    if (!List.of(options).contains("--warm")) {
      words.addAll(List.of("--warm", "1"));
    }
    words.addAll(List.of(options));
    return FlawlessRun.report(out, words);
  }

  private static void assertPositive(ParsedReport report, String column, String... figures) {
    for (String figure : figures) {
      assertThat(report.number("medians", column, figure)).as(figure).isPositive();
    }
  }

  @Test
  void shouldMeasureRequestsBesideMessages() throws IOException {
    ParsedReport report =
        run("api-load", "--warm", "0", "--set", "requests=50", "--set", "clients=2");
    assertPositive(report, "50 requests/s", "requests", "requestP99Ms", "p99Ms", "ackP99Ms");
    assertPositive(report, "without requests", "p99Ms", "ackP99Ms", "cpuMicros");
    assertThat(report.list("notes").toString()).contains("times that without requests");
  }

  @Test
  void shouldMeasurePagesOfTheClientList() throws IOException {
    List<String> settings = new ArrayList<>();
    for (String setting : List.of("sessions=250", "clients=20", "reads=2")) {
      settings.addAll(List.of("--set", setting));
    }
    ParsedReport report = run("api-pages", settings.toArray(String[]::new));
    assertPositive(report, "next page", "requestP50Ms", "requestMaxMs");
    assertPositive(report, "username of one", "requestP50Ms");
    assertThat(report.number("medians", "like_clientid of none", "partialPercent")).isZero();
  }

  @Test
  void shouldMeasureAClusterWithOneVoter() throws IOException {
    List<String> settings = new ArrayList<>();
    for (String setting : List.of("rate=1", "highest=4", "voters=1", "clients=all")) {
      settings.addAll(List.of("--set", setting));
    }
    ParsedReport report = run("cluster", settings.toArray(String[]::new));
    assertPositive(report, "1 voter, 1/s each", "cpuMicros", "p50Ms");
    assertPositive(report, "1 voter, 4/s each", "cpuMicros", "ackP50Ms");
    assertPositive(report, "1 voter, highest rate", "sustained");
  }

  @Test
  void shouldCompareAColdStart() throws IOException {
    ParsedReport report = run("cold-start", "--set", "load=true_5_5_qos1_p32_20mps_1n");
    assertPositive(report, "fjordmq", "coldRatio", "startSeconds", "startMb");
  }

  /** One row runs a scenario, the other a benchmark. */
  @Test
  void shouldMeasureRowsOfTheTargets() throws IOException {
    ParsedReport report = execute("targets", "retained-set", "ordinary-1n-100");
    assertThat(report.list("results", 0, "outcomes", 0, "values")).hasSize(1);
    assertThat(report.list("results", 1, "outcomes", 1, "values")).hasSize(1);
    assertThat(report.at("complete")).isEqualTo(true);
  }

  @Test
  void shouldMeasureFairness() throws IOException {
    ParsedReport report = run("fairness", "--warm", "0");
    assertPositive(report, "default rate, alone", "ackP50Ms", "ackP99Ms", "connectP99Ms");
    assertPositive(report, "default rate, busy client", "ackP99Ms", "connectP50Ms", "busyClient");
    assertPositive(report, "unlimited rate, busy client", "ackP99Ms", "busyClient");
  }

  @Test
  void shouldMeasureIdleConnections() throws IOException {
    String transports = "transports=tcp,tls";
    ParsedReport report =
        run("idle-connections", "--set", "base=20", "--set", "total=60", "--set", transports);
    assertPositive(report, "fjordmq, tcp", "connects", "memoryMb", "connected");
    assertPositive(report, "fjordmq, tls", "connects", "memoryMb");
  }

  @Test
  void shouldMeasureIdleRanges() throws IOException {
    ParsedReport report = run("idle-ranges", "--set", "ranges=3");
    assertThat(report.number("medians", "one range per store", "ranges")).isEqualTo(3);
    assertThat(report.number("medians", "3 more inbox ranges", "ranges")).isEqualTo(6);
    assertPositive(report, "3 more inbox ranges", "collectedMb", "heapMb", "threads", "idleCpuMs");
  }

  @ParameterizedTest
  @ValueSource(strings = {"files", "postgresql", "http", "scram"}) // Redis has tests of its own
  void shouldMeasureLogins(String provider) throws IOException {
    UserStore store = UserStore.valueOf(provider.toUpperCase(Locale.ROOT));
    assumeTrue(UserServices.missingPackage(store).isEmpty(), provider + " is not installed");
    ParsedReport report =
        run("logins", "--set", "provider=" + provider, "--set", "users=8", "--set", "atOnce=4");
    List<String> columns = new ArrayList<>(List.of("without users", provider + ", not cached"));
    if (!provider.equals("scram")) { // proofs are not cached
      columns.add(provider + ", cached");
    }
    for (String column : columns) {
      assertPositive(report, column, "connects", "connectP99Ms", "connectCpuMicros");
    }
    if (provider.equals("postgresql") || provider.equals("http")) {
      assertThat(report.number("medians", provider + ", not cached", "loginCalls"))
          .as("one call to authenticate, and one that reads rules")
          .isEqualTo(provider.equals("postgresql") ? 2 : 1);
      assertThat(report.number("medians", provider + ", cached", "loginCalls")).isZero();
    }
  }

  /** The benchmark checks what clients notice, and reports it as faults. */
  @Test
  void shouldServeConnectedClientsWhileRedisIsDown() throws IOException {
    assumeTrue(RedisServer.isInstalled(), "redis-server is not installed");
    ParsedReport report =
        run(
            "provider-outage",
            "--seconds",
            "12",
            "--set",
            "load=true_20_20_qos1_p32_10mps_1n",
            "--set",
            "logins=10");
    assertPositive(report, "redis outage", "received");
    assertThat(report.number("sums", "redis outage", "lost")).isZero();
    assertThat(report.number("medians", "redis outage", "recoverySeconds")).isNotNegative();
    assertThat(report.list("notes").toString()).contains("were refused with CONNACK 0x88");
  }

  @Test
  void shouldMeasureOfflineQueuesNextToMosquitto() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/sbin/mosquitto")), "mosquitto is not installed");
    ParsedReport report =
        run(
            "offline-queues",
            "--broker",
            "fjordmq",
            "--broker",
            "mosquitto",
            "--set",
            "sessions=2",
            "--set",
            "queued=300");
    assertPositive(report, "fjordmq", "received");
    assertPositive(report, "mosquitto", "received");
  }

  @Test
  void shouldMeasureTheThroughputOfRanges() throws IOException {
    ParsedReport report = run("range-throughput", "--set", "ranges=2", "--set", "pairs=16");
    assertPositive(report, "2 fixed", "throughput", "cpuMicros", "p50Ms", "p99Ms");
    assertThat(report.number("medians", "2 fixed", "ranges")).isEqualTo(2);
    assertPositive(report, "automatic", "throughput", "ranges");
    assertThat(report.list("notes").toString()).contains("of the best fixed number of ranges");
  }

  @Test
  void shouldMeasureAReconnectStorm() throws IOException {
    ParsedReport report = run("reconnect", "--set", "clients=50");
    assertPositive(report, "fjordmq", "reconnectedSeconds", "servedSeconds");
  }

  @Test
  void shouldMeasureAReconnectStormOfUsers() throws IOException {
    assumeTrue(RedisServer.isInstalled(), "redis-server is not installed");
    ParsedReport report = run("reconnect", "--set", "clients=50", "--set", "provider=redis");
    assertPositive(report, "redis, not cached", "reconnectedSeconds", "servedSeconds");
    assertThat(report.number("medians", "redis, not cached", "loginCalls")).isEqualTo(2);
    assertThat(report.number("medians", "redis, cached", "loginCalls")).isZero();
  }

  @Test
  void shouldMeasureLookupsOfRetainedMessages() throws IOException {
    ParsedReport report =
        run("retained-lookups", "--set", "retained=1000", "--set", "filters=1000");
    assertPositive(report, "no match", "lookupsSeconds");
    assertPositive(report, "one match each", "lookupsSeconds", "lookupCpuMicros");
  }

  @Test
  void shouldMeasureAccessRules() throws IOException {
    ParsedReport report = run("security-rules", "--set", "provider=jwt");
    assertPositive(report, "jwt, 10 rules", "cpuMicros", "received");
    assertPositive(report, "without rules", "cpuMicros", "received");
    assertThat(report.list("notes").toString())
        .contains("with jwt, 10 rules, a message takes", "(median of 1 pairs;");
  }

  @Test
  void shouldMeasureSessions() throws IOException {
    ParsedReport report = run("sessions", "--set", "count=500", "--set", "kind=persistent");
    assertPositive(report, "500 persistent", "heapMb", "connects");
  }

  @Test
  void shouldStartWithQueues() throws IOException {
    ParsedReport report = run("start-with-queues", "--set", "sessions=2", "--set", "queued=200");
    assertPositive(report, "nothing queued", "startSeconds", "startMb", "sent");
    assertPositive(report, "400 queued", "startSeconds");
  }

  @Test
  void shouldMeasureATlsStorm() throws IOException {
    ParsedReport report = run("tls-storm", "--set", "rate=20", "--set", "key=rsa");
    assertPositive(report, "calm", "p50Ms", "loopCpuPercent");
    assertPositive(report, "storm", "p99Ms", "connects", "connectCpuMicros");
  }
}
