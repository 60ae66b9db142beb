package io.fjordmq.broker.telemetry;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The export of traces, metrics and logs. Thread-safe. */
public interface Telemetry extends AutoCloseable {
  /** Exports nothing. */
  Telemetry NONE =
      new Telemetry() {
        @Override
        public @Nullable MessageTracer tracer() {
          return null;
        }

        @Override
        public Optional<MeterRegistry> startMetrics() {
          return Optional.empty();
        }

        @Override
        public void close() {
          // Nothing is open.
        }
      };

  /** The tracer of messages; null if traces are not exported. */
  @Nullable MessageTracer tracer();

  /**
   * Starts to export metrics at intervals. Called at most once.
   *
   * @return exports the meters that are registered with it; empty if metrics are not exported
   */
  Optional<MeterRegistry> startMetrics();

  /** Exports queued data within a short time limit, and stops. Blocks. */
  @Override
  void close();
}
