package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.ClientLoops;
import io.fjordmq.perf.broker.BrokerSpec;
import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.load.RunResult;
import io.fjordmq.perf.machine.GeneratedCertificates;
import io.fjordmq.perf.machine.ProcessUsage;
import java.util.List;

/**
 * Measures the effect of a connect storm of TLS clients on connected clients: the latency of a
 * light load with and without the storm, alternating because hosts are noisy, and the CPU time per
 * handshake on the event loops, which noise does not affect. The result also shows how long threads
 * waited for a processor, because that delay is caused by the host and not by the broker.
 */
final class TlsStormBenchmark {
  private static final String LIGHT_LOAD = "true_20_20_qos0_p32_50mps_1n";
  private static final String EVENT_LOOPS = "mqtt-io";

  private TlsStormBenchmark() {}

  static void run(BenchmarkRun run) throws Exception {
    final int rate = run.number("rate");
    String settings = "";
    if (run.choice("key", "ec", "rsa").equals("rsa")) {
      GeneratedCertificates rsa =
          new GeneratedCertificates(run.settings().work().resolve("rsa"), true);
      settings =
          "mqttServerConfig: {tlsListener: {certFile: %s, keyFile: %s}}"
              .formatted(rsa.certificateFile(), rsa.keyFile());
    }
    BrokerSpec spec = run.spec("fjordmq", run.scenario("conn_tls_1k_1n"), settings);
    try (RunningBroker broker = run.start(spec);
        ClientLoops storm = broker.loops(1)) {
      int warmSeconds = run.settings().warmSeconds();
      if (warmSeconds > 0) {
        measure(run, broker, storm, "warm-up", rate, warmSeconds);
      }
      for (int i = 0; i < run.settings().runs(); i++) {
        run.add(measure(run, broker, storm, "calm", 0, run.settings().seconds()));
        run.add(measure(run, broker, storm, "storm", rate, run.settings().seconds()));
      }
    }
  }

  private static RunResult measure(
      BenchmarkRun run,
      RunningBroker broker,
      ClientLoops storm,
      String column,
      int rate,
      int seconds)
      throws Exception {
    RunningBroker plain = broker.overTcp();
    long self = ProcessHandle.current().pid();
    final long start = System.nanoTime();
    final long cpuBefore = ProcessUsage.threadCpuMicros(broker.pid(), EVENT_LOOPS);
    final long waitedBefore = ProcessUsage.threadWaitMicros(broker.pid(), EVENT_LOOPS);
    final long toolBefore = ProcessUsage.threadWaitMicros(self, ClientLoops.THREAD_PREFIX);
    try (ClientLoops loops = plain.loops(1);
        NewClients newClients = new NewClients(storm, rate)) {
      RunResult result = run.load(plain, loops, column, run.scenario(LIGHT_LOAD), 0, seconds);
      double elapsedMicros = (System.nanoTime() - start) / 1e3;
      double cpu = ProcessUsage.threadCpuMicros(broker.pid(), EVENT_LOOPS) - cpuBefore;
      double waited = ProcessUsage.threadWaitMicros(broker.pid(), EVENT_LOOPS) - waitedBefore;
      double tool = ProcessUsage.threadWaitMicros(self, ClientLoops.THREAD_PREFIX) - toolBefore;
      Measurement measurement =
          new Measurement()
              .put(ResultMetric.CONNECTS, newClients.accepted() * 1e6 / elapsedMicros)
              .put(ResultMetric.LOOP_CPU_PERCENT, 100 * cpu / elapsedMicros)
              .put(ResultMetric.LOOP_WAIT_PERCENT, 100 * waited / elapsedMicros)
              .put(ResultMetric.TOOL_WAIT_PERCENT, 100 * tool / elapsedMicros);
      if (newClients.accepted() > 0) {
        measurement
            .put(ResultMetric.CONNECT_CPU_MICROS, cpu / newClients.accepted())
            .connects(newClients.connecting());
      }
      return measurement.addTo(result).with(List.of(), remarks(newClients));
    }
  }

  static List<String> remarks(NewClients newClients) {
    return newClients.failed() == 0
        ? List.of()
        : List.of(newClients.failed() + " new clients could not connect");
  }
}
