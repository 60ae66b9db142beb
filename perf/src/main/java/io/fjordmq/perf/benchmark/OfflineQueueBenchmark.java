package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures how fast clients fetch messages that were queued while they were offline, and how fast a
 * node with queued messages starts.
 */
final class OfflineQueueBenchmark {
  private static final int THREADS = 2;

  private OfflineQueueBenchmark() {}

  /**
   * Measures how fast offline clients fetch their queued messages when all of them reconnect at the
   * same time.
   */
  static void drain(BenchmarkRun run) throws Exception {
    QueuedSessions sessions = new QueuedSessions(run.number("sessions"), run.number("queued"));
    List<RunningBroker> brokers = run.startAll();
    for (int i = 0; i < run.settings().runs(); i++) {
      for (RunningBroker broker : brokers) {
        try (ClientLoops loops = broker.loops(THREADS)) {
          sessions.fill(loops);
          run.add(sessions.drain(loops, broker.pid()).result(broker.name()));
          sessions.discard(loops);
        }
      }
    }
  }

  /**
   * Measures the startup of a node with empty data, fills its inboxes, and measures its startup
   * again.
   */
  static void start(BenchmarkRun run) throws Exception {
    int count = run.number("sessions");
    int queued = run.number("queued");
    Path directory = run.settings().work().resolve("node");
    BrokerSpec spec = run.spec("fjordmq", run.singleNode(), BrokerSpec.UNLIMITED_RATES);
    try (RunningBroker broker = run.start(spec, directory);
        ClientLoops loops = broker.loops(THREADS)) {
      long start = System.nanoTime();
      new QueuedSessions(count, queued).fill(loops);
      double seconds = (System.nanoTime() - start) / 1e9;
      run.add(
          new Measurement()
              .put(ResultMetric.SENT, (double) count * queued / seconds)
              .result("nothing queued")
              .with(broker.startFigures()));
    }
    for (int i = 0; i < run.settings().runs(); i++) {
      try (RunningBroker broker = run.start(spec, directory)) {
        String column = "%,d queued".formatted((long) count * queued);
        run.add(new Measurement().result(column).with(broker.startFigures()));
      }
    }
  }
}
