package io.fjordmq.broker.telemetry.otlp;

import io.fjordmq.broker.limits.RateLimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs that exports fail, in one line for all signals. Thread-safe. */
final class ExportFailures {
  private static final Logger LOG = LoggerFactory.getLogger(ExportFailures.class);

  private final String endpoint;
  private final RateLimitedLog limit = new RateLimitedLog();

  ExportFailures(String endpoint) {
    this.endpoint = endpoint;
  }

  /**
   * Reports that data is lost.
   *
   * @param what what is lost, such as {@code spans}
   */
  void report(long count, String what, String cause) {
    @Nullable String suppressed = limit.permit();
    if (suppressed != null) {
      LOG.warn(
          "Export to OpenTelemetry failed, {} {} are lost: {}{}; check the collector and"
              + " telemetryConfig endpoint={}",
          count,
          what,
          cause,
          suppressed,
          endpoint);
    }
  }
}
