package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.ProcessUsage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Measures waves of clients with clean sessions, all of which connect at the same time and then
 * disconnect: the latency until the CONNACK, and the broker's CPU time per connection, including
 * its end.
 */
record ConnectBenchmark(ClientLoops loops, int atOnce) {
  /** Pause after each wave, so that the broker has finished it before the next one begins. */
  private static final int PAUSE_MILLIS = 50;

  static void run(BenchmarkRun run) throws Exception {
    int atOnce = run.number("atOnce");
    List<RunningBroker> brokers = run.startAll();
    for (int i = 0; i <= run.settings().runs(); i++) {
      for (RunningBroker broker : brokers) {
        try (ClientLoops loops = broker.loops(run.settings().threads())) {
          ConnectBenchmark benchmark = new ConnectBenchmark(loops, atOnce);
          Measurement measured = benchmark.measure(broker.pid(), run.settings().seconds());
          if (i > 0) { // the first run warms up
            run.add(measured.result(broker.name()));
          }
        }
      }
    }
  }

  /** Runs waves for the given time. Blocks. */
  Measurement measure(long brokerPid, int seconds) throws Exception {
    Histogram micros = new ConcurrentHistogram(3);
    final double cpu = ProcessUsage.of(brokerPid).cpuMicros();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (System.nanoTime() - end < 0) {
      List<LoadClient> wave =
          IntStream.range(0, atOnce)
              .mapToObj(n -> new LoadClient("connect-" + n, true, LoadClient.Receiver.NOTHING))
              .toList();
      long start = System.nanoTime();
      Waves.run(
          atOnce,
          atOnce,
          number ->
              loops
                  .connect(wave.get(number))
                  .thenRun(() -> micros.recordValue((System.nanoTime() - start) / 1_000)));
      Waves.run(atOnce, atOnce, number -> QueuedSessions.disconnect(wave.get(number)));
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
    double used = ProcessUsage.of(brokerPid).cpuMicros() - cpu;
    return new Measurement()
        .connects(micros)
        .put(ResultMetric.CONNECT_CPU_MICROS, used / micros.getTotalCount());
  }
}
