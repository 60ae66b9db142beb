package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.machine.ProcessUsage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures the latency of lists of clients in the REST API of a node with many offline sessions and
 * some connected clients. One request at a time, without other load. User names and parts of client
 * identifiers have no index, so a filter that matches few or no sessions shows how far a page
 * searches until its time is up.
 */
record ApiPagesBenchmark(BenchmarkRun run, OfflineSessions offline, int connected, int reads) {
  private static final int THREADS = 2;
  private static final int PAGE = 100;
  private static final int WAVE = 256;

  /** Time until the last clients have disconnected and all sessions are counted. */
  private static final int COUNT_SECONDS = 60;

  private static final int POLL_MILLIS = 200;

  static void run(BenchmarkRun run) throws Exception {
    OfflineSessions offline = new OfflineSessions(run.number("sessions"));
    new ApiPagesBenchmark(run, offline, run.number("clients"), run.number("reads")).measure();
  }

  private void measure() throws Exception {
    Path work = run.settings().work();
    Path directory = work.resolve("node");
    String settings = OfflineSessions.settings(work.resolve("passwords"));
    BrokerSpec spec = run.spec("fjordmq", run.singleNode(), settings);
    try (RunningBroker broker = run.start(spec, directory);
        ClientLoops loops = broker.loops(THREADS);
        ApiConnection connection = new ApiConnection(ApiEndpoint.of(directory))) {
      populate(broker, loops);
      awaitCount(connection);
      warmUp(connection);
      for (int i = 0; i < run.settings().runs(); i++) {
        for (PageRead read : pageReads()) {
          run.add(read.measure(connection, reads).result(read.name()));
        }
      }
    }
  }

  private void populate(RunningBroker broker, ClientLoops loops) throws Exception {
    long start = System.nanoTime();
    offline.create(loops, run::progress);
    double seconds = (System.nanoTime() - start) / 1e9;
    Waves.run(
        WAVE,
        connected,
        i -> loops.connect(new LoadClient("online-" + i, true, LoadClient.Receiver.NOTHING)));
    run.note(
        "created %,d sessions in %.0f s; then the node used %,d MB"
            .formatted(
                offline.count(),
                seconds,
                ProcessUsage.of(broker.pid()).residentKilobytes() / 1024));
  }

  /** Waits until the node counts all clients and sessions. */
  private void awaitCount(ApiConnection connection) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(COUNT_SECONDS);
    long expected = (long) offline.count() + connected;
    long count = -1;
    while (count != expected) {
      if (System.nanoTime() - deadline > 0) {
        throw new IOException(
            "expected %,d clients and sessions, but the node counts %,d"
                .formatted(expected, count));
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      count = connection.require("/clients?limit=1").path("meta").path("count").asLong(-1);
    }
  }

  private void warmUp(ApiConnection connection) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(run.settings().warmSeconds());
    List<PageRead> all = pageReads();
    for (int i = 0; System.nanoTime() - end < 0; i++) {
      all.get(i % all.size()).measure(connection, 1);
    }
  }

  private List<PageRead> pageReads() {
    int all = offline.count() + connected;
    return List.of(
        PageRead.of("first page", i -> "/clients?limit=" + PAGE, Math.min(PAGE, all)),
        new PageRead("next page", i -> "/clients?limit=" + PAGE, PAGE, true),
        PageRead.of("show client", i -> "/clients/" + clientId(i), 1),
        PageRead.of("clientid", i -> "/clients?clientid=" + clientId(i), 1),
        PageRead.of(
            "connected",
            i -> "/clients?conn_state=connected&limit=" + PAGE,
            Math.min(PAGE, connected)),
        PageRead.of(
            "username of 1 %",
            i -> "/clients?username=%s&limit=%d".formatted(OfflineSessions.FLEET_USER, PAGE),
            Math.min(PAGE, offline.ofFleet())),
        PageRead.of("username of one", i -> "/clients?username=" + OfflineSessions.LONE_USER, 1),
        PageRead.of("like_clientid of none", i -> "/clients?like_clientid=nobody", 0));
  }

  /** Returns the identifier of another offline session for each repetition. */
  private String clientId(int repetition) {
    long session = (long) (repetition % reads) * offline.count() / reads;
    return OfflineSessions.clientId((int) session);
  }
}
