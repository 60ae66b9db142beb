package io.fjordmq.broker.trace;

import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static io.fjordmq.broker.trace.TestTraces.ANN;
import static io.fjordmq.broker.trace.TestTraces.caller;
import static io.fjordmq.broker.trace.TestTraces.draft;
import static io.fjordmq.broker.trace.TestTraces.log;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.events.Denial;
import io.fjordmq.broker.events.Refused;
import io.fjordmq.broker.events.Subscribed;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Traces of a cluster: every node follows them, and they end by themselves. */
class TracesTest {
  private static final Caller BOUND = caller("bob", "t");
  private static final TraceSettings SETTINGS =
      new TraceSettings(3, 2, Duration.ofHours(2), Duration.ofHours(4), 64 << 10, 100);

  @TempDir private Path folder;
  private TestTraces cluster;
  private Traces first;
  private Traces second;

  @BeforeEach
  void open() {
    cluster = new TestTraces(folder, SETTINGS);
    first = cluster.open("n1");
    second = cluster.open("n2");
  }

  @AfterEach
  void close() throws InterruptedException {
    cluster.close();
  }

  private static List<String> names(Traces traces, Caller caller) {
    return traces.list(caller).stream().map(Trace::name).toList();
  }

  private static void awaitOn(Traces traces, boolean isOn) {
    Await.until("the tracer follows", () -> traces.tracer().isOn() == isOn);
  }

  private static void subscribed(Traces node, String clientId, String filter) {
    node.tracer().onEvent("t", clientId, null, new Subscribed(filter, 1));
  }

  @Test
  void shouldTraceOnEveryNode() {
    assertThat(first.tracer().isOn()).isFalse();
    Trace trace = get(first.create(ANN, draft("x", TraceType.CLIENTID, "c")));
    assertThat(trace.endAt()).isEqualTo(cluster.records.now().plus(Duration.ofMinutes(10)));
    assertThat(trace.by()).isEqualTo("ann");
    assertThat(second.list(ANN)).containsExactly(trace);
    awaitOn(second, true);
    subscribed(second, "c", "a/b");
    subscribed(second, "d", "a/b");
    assertThat(log(second, "x"))
        .contains(
            "2030-01-01T00:00:00.000Z n2 event client=c tenant=t subscribed"
                + " \"Subscribed to a/b with QoS 1\"\n")
        .doesNotContain("client=d");
    assertThat(second.tracer().isTracingTopics()).isFalse();
  }

  @Test
  void shouldNotLetEventsForgeLines() {
    get(first.create(ANN, draft("x", TraceType.CLIENTID, "c\nd")));
    awaitOn(first, true);
    subscribed(first, "c\nd", "a\" event\nforged");
    assertThat(log(first, "x").lines()).hasSize(2);
    assertThat(log(first, "x"))
        .contains("client=\"c\\nd\" tenant=t subscribed \"Subscribed to a\\\" event\\nforged ");
  }

  @Test
  void shouldTraceEventsOfTopics() {
    get(first.create(ANN, draft("x", TraceType.TOPIC, "a/+")));
    awaitOn(first, true);
    assertThat(first.tracer().isTracingTopics()).isTrue();
    subscribed(first, "c", "a/b");
    subscribed(first, "d", "b/#");
    assertThat(log(first, "x")).contains("client=c").doesNotContain("client=d");
  }

  @Test
  void shouldEndByItself() {
    AtomicInteger updates = new AtomicInteger();
    first.traceConnected(updates::incrementAndGet);
    get(first.create(ANN, draft("x", TraceType.CLIENTID, "c")));
    awaitOn(first, true);
    cluster.records.advance(Duration.ofMinutes(10));
    awaitOn(first, false);
    assertThat(log(first, "x")).endsWith("note trace stopped\n");
    assertThat(updates.get()).as("connections are updated").isGreaterThanOrEqualTo(3);
    assertThat(first.list(ANN).get(0).status(cluster.records.now()))
        .isEqualTo(Trace.Status.STOPPED);
  }

  @Test
  void shouldStartLater() {
    Instant start = cluster.records.now().plus(Duration.ofHours(1));
    get(
        first.create(
            ANN,
            new Trace.Draft(
                "x",
                TraceType.CLIENTID,
                "c",
                null,
                PayloadEncoding.TEXT,
                start,
                null,
                TraceFormat.TEXT)));
    assertThat(first.list(ANN).get(0).status(cluster.records.now()))
        .isEqualTo(Trace.Status.WAITING);
    assertThat(first.tracer().isOn()).isFalse();
    cluster.records.advance(Duration.ofHours(1));
    awaitOn(first, true);
  }

  @Test
  void shouldStopAndDelete() {
    get(first.create(ANN, draft("x", TraceType.CLIENTID, "c")));
    awaitOn(second, true);
    get(first.stop(ANN, "x"));
    awaitOn(second, false);
    Trace stopped = get(second.stop(ANN, "x"));
    assertThat(stopped.endAt()).isEqualTo(cluster.records.now());
    Path file = folder.resolve("n2").resolve(stopped.fileName());
    assertThat(log(second, "x")).contains("trace started");
    assertThat(file).exists();
    get(first.delete(ANN, "x"));
    Await.until("the file is deleted", () -> !Files.exists(file));
    assertThat(first.list(ANN)).isEmpty();
    assertThat(fails(first.delete(ANN, "x"), Kind.NOT_FOUND)).isEqualTo("the trace does not exist");
    fails(first.stop(ANN, "x"), Kind.NOT_FOUND);
    fails(first.find(ANN, "a/b"), Kind.NOT_FOUND);
  }

  @Test
  void shouldResumeAfterARestart() throws InterruptedException {
    get(first.create(ANN, draft("x", TraceType.CLIENTID, "c")));
    awaitOn(second, true);
    subscribed(second, "c", "before");
    second.close();
    Traces restarted = cluster.open("n2");
    awaitOn(restarted, true);
    subscribed(restarted, "c", "after");
    assertThat(log(restarted, "x")).contains("before", "trace resumed after a restart", "after");
  }

  @Test
  void shouldRemoveOldTraces() {
    get(first.create(ANN, draft("x", TraceType.CLIENTID, "c")));
    cluster.records.advance(Duration.ofMinutes(10).plus(SETTINGS.retention()));
    first.removeOld();
    assertThat(names(first, ANN)).containsExactly("x");
    cluster.records.advance(Duration.ofMillis(1));
    first.removeOld();
    Await.until("the trace is removed", () -> first.list(ANN).isEmpty());
  }

  @Test
  void shouldLimitTheNumberOfTraces() {
    get(first.create(ANN, draft("x", TraceType.CLIENTID, "c")));
    fails(first.create(ANN, draft("x", TraceType.TOPIC, "t")), Kind.EXISTS);
    get(first.create(ANN, draft("y", TraceType.CLIENTID, "c")));
    get(first.create(ANN, draft("z", TraceType.CLIENTID, "c")));
    assertThat(fails(first.create(ANN, draft("a", TraceType.CLIENTID, "c")), Kind.FULL))
        .contains("traceConfig.maxTraces (3)");
    get(first.deleteAll(ANN));
    assertThat(first.list(ANN)).isEmpty();
    get(first.deleteAll(ANN));
  }

  @Test
  void shouldLimitTheNumberOfTracesOfATenant() {
    get(first.create(BOUND, draft("x", TraceType.CLIENTID, "c")));
    get(first.create(BOUND, draft("y", TraceType.CLIENTID, "c")));
    assertThat(fails(first.create(BOUND, draft("z", TraceType.CLIENTID, "c")), Kind.FULL))
        .contains("traceConfig.maxTracesPerTenant (2)");
    get(first.create(ANN, draft("z", TraceType.CLIENTID, "c")));
  }

  @Test
  void shouldNotTellATenantWhichNamesOthersUse() {
    Caller other = TestTraces.caller("bob", "u");
    Trace own = get(first.create(BOUND, draft("x", TraceType.CLIENTID, "c")));
    Trace others = get(first.create(other, draft("x", TraceType.CLIENTID, "d")));
    assertThat(own.fileName()).isNotEqualTo(others.fileName());
    fails(first.create(BOUND, draft("x", TraceType.CLIENTID, "c")), Kind.EXISTS);
    assertThat(get(second.find(BOUND, "x"))).isEqualTo(own);
    assertThat(get(second.find(other, "x"))).isEqualTo(others);
    fails(first.find(ANN, "x"), Kind.AMBIGUOUS);
    get(first.delete(other, "x"));
    assertThat(get(first.find(ANN, "x"))).isEqualTo(own);
    Trace all = get(first.create(ANN, draft("x", TraceType.CLIENTID, "c")));
    assertThat(get(first.find(ANN, "x"))).isEqualTo(all);
  }

  @Test
  void shouldReportNodesThatDoNotWriteLines() {
    get(first.create(ANN, draft("x", TraceType.CLIENTID, "c")));
    awaitOn(first, true);
    assertThat(problems(first)).containsExactly("none");
    cluster.hasFreeDiskSpace = false;
    assertThat(problems(first).get(0)).startsWith("free disk space is below diskConfig");
    cluster.hasFreeDiskSpace = true;
    String filter = "f".repeat(200);
    for (int i = 0; i < 400; i++) {
      subscribed(first, "c", filter);
    }
    assertThat(problems(first))
        .containsExactly("the file has reached traceConfig.maxFileBytes (65536)");
  }

  private static List<String> problems(Traces node) {
    return get(node.thread().read(node.files()::infos)).stream()
        .map(info -> Objects.requireNonNullElse(info.problem(), "none"))
        .toList();
  }

  @Test
  void shouldWriteJson() {
    get(
        first.create(
            ANN,
            new Trace.Draft(
                "x",
                TraceType.CLIENTID,
                "c",
                null,
                PayloadEncoding.HIDDEN,
                null,
                null,
                TraceFormat.JSON)));
    awaitOn(first, true);
    subscribed(first, "c", "a/b");
    assertThat(log(first, "x").lines())
        .containsExactly(
            "{\"time\":\"2030-01-01T00:00:00.000Z\",\"node\":\"n1\",\"kind\":\"note\","
                + "\"text\":\"trace started:\",\"fields\":{\"clientid\":\"c\","
                + "\"payload\":\"hidden\",\"until\":\"2030-01-01T00:10:00Z\"}}",
            "{\"time\":\"2030-01-01T00:00:00.000Z\",\"node\":\"n1\",\"kind\":\"event\","
                + "\"text\":\"subscribed Subscribed to a/b with QoS 1\","
                + "\"fields\":{\"client\":\"c\",\"tenant\":\"t\"}}");
  }

  @Test
  void shouldSeparateTenants() {
    get(first.create(ANN, draft("all", TraceType.CLIENTID, "c")));
    Trace bound = get(first.create(BOUND, draft("own", TraceType.CLIENTID, "c")));
    assertThat(bound.tenant()).isEqualTo("t");
    assertThat(names(first, BOUND)).containsExactly("own");
    assertThat(names(first, ANN)).containsExactlyInAnyOrder("all", "own");
    fails(first.stop(BOUND, "all"), Kind.NOT_FOUND);
    fails(first.delete(BOUND, "all"), Kind.NOT_FOUND);
    fails(first.find(BOUND, "all"), Kind.NOT_FOUND);
    Trace.Draft foreign =
        new Trace.Draft(
            "f", TraceType.TOPIC, "#", "u", PayloadEncoding.HIDDEN, null, null, TraceFormat.TEXT);
    fails(first.create(BOUND, foreign), Kind.INVALID);
    Await.until(
        "both traces are active", () -> log(first, "own").contains("started") && isActive("all"));
    first.tracer().onEvent(null, "c", null, refused());
    first.tracer().onEvent("u", "c", null, refused());
    assertThat(log(first, "own")).doesNotContain("connect_refused");
    assertThat(log(first, "all").lines().filter(line -> line.contains("connect_refused")))
        .hasSize(2);
    get(first.deleteAll(BOUND));
    assertThat(names(first, ANN)).containsExactly("all");
  }

  private boolean isActive(String name) {
    return log(first, name).contains("started");
  }

  private static Refused refused() {
    return new Refused("10.0.0.7:1", "tcp", null, "bad_user_name_or_password", 0x86, Denial.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          ''    | CLIENTID   | c          | -       | name must be 1 to 64 letters
          -x    | CLIENTID   | c          | -       | name must be 1 to 64 letters
          a/b   | CLIENTID   | c          | -       | name must be 1 to 64 letters
          x     | CLIENTID   | ''         | -       | clientid must be 1 to 1024 bytes long
          x     | TOPIC      | a/#/b      | -       | topic: '#' must be the last level
          x     | TOPIC      | $share/g/a | -       | topic must be a topic filter without $share
          x     | IP_ADDRESS | host       | -       | ip_address must be an IP address or network
          x     | IP_ADDRESS | 10.0.0.0/99 | -      | ip_address must be an IP address or network
          x     | CLIENTID   | c          | PT0S    | end_at must be later than the start
          x     | CLIENTID   | c          | PT3H    | end_at must be at most traceConfig.maxDuration (7200 s)
          """)
  void shouldRejectInvalidTraces(
      @Nullable String name, TraceType type, String value, @Nullable Duration lasts, String why) {
    Trace.Draft draft =
        new Trace.Draft(
            name == null ? "" : name,
            type,
            value,
            null,
            PayloadEncoding.HIDDEN,
            null,
            lasts == null ? null : cluster.records.now().plus(lasts),
            TraceFormat.TEXT);
    assertThat(fails(first.create(ANN, draft), Kind.INVALID)).startsWith(why);
  }

  @Test
  void shouldKeepAddressesInCanonicalNotation() {
    assertThat(TraceRules.canonical(TraceType.IP_ADDRESS, "FD00:0::1")).isEqualTo("fd00::1");
    assertThat(TraceRules.canonical(TraceType.IP_ADDRESS, "10.1.2.3/8")).isEqualTo("10.0.0.0/8");
  }
}
