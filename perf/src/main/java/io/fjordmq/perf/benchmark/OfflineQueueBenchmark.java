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

  /** Measures offline clients that all return at the same time and fetch their queued messages. */
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

  /** Starts a node with empty data, fills its inboxes and starts it again. */
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
          startMeasurement(broker)
              .put(ResultMetric.SENT, (double) count * queued / seconds)
              .result("nothing queued"));
    }
    for (int i = 0; i < run.settings().runs(); i++) {
      try (RunningBroker broker = run.start(spec, directory)) {
        run.add(startMeasurement(broker).result("%,d queued".formatted((long) count * queued)));
      }
    }
  }

  private static Measurement startMeasurement(RunningBroker broker) {
    return new Measurement()
        .put(ResultMetric.START_SECONDS, broker.processes().get(0).startSeconds())
        .put(ResultMetric.START_MB, broker.processes().get(0).idleKilobytes() / 1024.0);
  }
}
