package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.broker.RunningBroker;
import io.fjordmq.perf.load.ResultMetric;
import io.fjordmq.perf.machine.ProcessUsage;
import io.fjordmq.perf.machine.ServiceUsage;
import java.util.Optional;

/** What logins cost: CPU time of the broker, and calls of the service that knows the users. */
record LoginCost(RunningBroker broker, long cpuMicros, Optional<ServiceUsage> service) {
  /** Returns the counters before the logins. Blocks. */
  static LoginCost begin(RunningBroker broker) {
    Optional<ServiceUsage> service = broker.watch().serviceUsage();
    return new LoginCost(broker, ProcessUsage.of(broker.pid()).cpuMicros(), service);
  }

  /** Adds the costs since {@link #begin}. Blocks. */
  void addTo(Measurement measurement, long logins) {
    double cpu = ProcessUsage.of(broker.pid()).cpuMicros() - cpuMicros;
    if (logins == 0) {
      return;
    }
    measurement.put(ResultMetric.CONNECT_CPU_MICROS, cpu / logins);
    Optional<ServiceUsage> after = broker.watch().serviceUsage();
    if (service.isPresent() && after.isPresent()) {
      after
          .get()
          .callsSince(service.get())
          .ifPresent(calls -> measurement.put(ResultMetric.LOGIN_CALLS, (double) calls / logins));
    }
  }
}
