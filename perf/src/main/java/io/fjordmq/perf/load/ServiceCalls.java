package io.fjordmq.perf.load;

import io.fjordmq.perf.machine.BrokerWatch;
import io.fjordmq.perf.machine.ServiceUsage;
import java.util.Map;
import java.util.Optional;

/**
 * Derives figures about the service that knows the users of the broker. There are none without such
 * a service, while it is down, and if it has restarted.
 */
final class ServiceCalls {
  private final BrokerWatch watch;
  private final Map<ResultMetric, Double> figures;
  private Optional<ServiceUsage> before;
  private long beforeNanos;

  /** Must be created before clients connect. */
  ServiceCalls(BrokerWatch watch, Map<ResultMetric, Double> figures) {
    this.watch = watch;
    this.figures = figures;
    this.before = watch.serviceUsage();
  }

  /** Called when all connection attempts have completed. */
  void connected(int accepted) {
    Optional<ServiceUsage> after = watch.serviceUsage();
    if (before.isPresent() && after.isPresent() && accepted > 0) {
      after
          .get()
          .callsSince(before.get())
          .ifPresent(calls -> figures.put(ResultMetric.LOGIN_CALLS, (double) calls / accepted));
    }
  }

  /** Called at the start of the measured period. */
  void periodStarted() {
    before = watch.serviceUsage();
    beforeNanos = System.nanoTime();
  }

  /** Called at the end of the measured period. */
  void periodEnded() {
    Optional<ServiceUsage> after = watch.serviceUsage();
    double seconds = (System.nanoTime() - beforeNanos) / 1e9;
    if (before.isEmpty() || after.isEmpty()) {
      return;
    }
    after
        .get()
        .callsSince(before.get())
        .ifPresent(calls -> figures.put(ResultMetric.PROVIDER_CALLS, calls / seconds));
    double microsPerPercent = seconds * Runtime.getRuntime().availableProcessors() * 10_000;
    after
        .get()
        .cpuMicrosSince(before.get())
        .ifPresent(
            micros -> figures.put(ResultMetric.PROVIDER_CPU_PERCENT, micros / microsPerPercent));
  }
}
