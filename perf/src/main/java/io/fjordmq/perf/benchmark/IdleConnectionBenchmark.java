package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.perf.scenario.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Opens idle connections and measures the connection rate and, some seconds later, the memory per
 * connection. The first connections are excluded. Each run starts new brokers, because a broker
 * reuses memory that earlier connections have freed.
 */
final class IdleConnectionBenchmark {
  private static final int WAVE = 256;

  // Without a warm-up, the memory of the JIT compiler and its code would be attributed to
  // connections.
  private static final int WARM_UP_ROUNDS_PER_SECOND = 2;
  private static final int WARM_UP_PAUSE_MILLIS = 1_000 / WARM_UP_ROUNDS_PER_SECOND;

  private final List<LoadClient> clients = new ArrayList<>();
  private final ClientLoops loops;
  private final BenchmarkRun.Settings settings;

  private IdleConnectionBenchmark(ClientLoops loops, BenchmarkRun.Settings settings) {
    this.loops = loops;
    this.settings = settings;
  }

  static void run(BenchmarkRun run) throws Exception {
    int base = run.number("base");
    int total = run.number("total");
    List<String> transports = List.of(run.parameter("transports").split(",", -1));
    if (total <= base || !List.of("tcp", "tls", "mtls").containsAll(transports)) {
      throw new UsageException(
          "total must be above base, and transports may contain only tcp, tls and mtls; found"
              + " total=%d, base=%d, transports=%s"
                  .formatted(total, base, String.join(",", transports)));
    }
    for (int i = 0; i < run.settings().runs(); i++) {
      for (String program : run.settings().brokers()) {
        String name = Path.of(program).getFileName().toString();
        for (String transport : transports) {
          BrokerSpec spec =
              new BrokerSpec(
                  transports.size() == 1 ? name : name + ", " + transport,
                  program,
                  run.scenario("conn_" + transport + "_1k_1n"),
                  "");
          try (RunningBroker broker = run.start(spec);
              ClientLoops loops = broker.loops(run.settings().threads())) {
            Measurement measurement =
                new IdleConnectionBenchmark(loops, run.settings())
                    .measure(broker.pid(), base, total);
            run.add(measurement.result(spec.name()));
          }
        }
      }
    }
  }

  private Measurement measure(long brokerPid, int base, int total) throws Exception {
    try {
      int rounds = WARM_UP_ROUNDS_PER_SECOND * settings.warmSeconds();
      for (int round = 0; round < rounds; round++) {
        open(base);
        close();
        TimeUnit.MILLISECONDS.sleep(WARM_UP_PAUSE_MILLIS);
      }
      open(base);
      TimeUnit.SECONDS.sleep(settings.seconds());
      final long before = ProcessUsage.of(brokerPid).residentKilobytes();
      double perSecond = open(total - base);
      TimeUnit.SECONDS.sleep(settings.seconds());
      long after = ProcessUsage.of(brokerPid).residentKilobytes();
      return new Measurement()
          .put(ResultMetric.CONNECTION_KB, (after - before) / (double) (total - base))
          .put(ResultMetric.CONNECTS, perSecond)
          .put(ResultMetric.CONNECTED, total)
          .put(ResultMetric.MEMORY_MB, after / 1024.0);
    } finally {
      close();
    }
  }

  private void close() {
    Waves.close(clients);
    clients.clear();
  }

  /** Opens connections and returns the rate per second. */
  private double open(int count) throws Exception {
    long start = System.nanoTime();
    Waves.run(
        WAVE,
        count,
        number -> {
          LoadClient client =
              new LoadClient("idle-" + clients.size(), true, LoadClient.Receiver.NOTHING);
          clients.add(client);
          return loops.connect(client);
        });
    return count * 1e9 / (System.nanoTime() - start);
  }
}
