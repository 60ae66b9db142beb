package io.fjordmq.broker.telemetry.otlp;

import io.fjordmq.broker.limits.RateLimitedLog;
import io.grpc.Status;
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
   * Reports that a request failed.
   *
   * @param what the kind of data, such as {@code spans}
   */
  void report(String what, Throwable cause) {
    Status status = Status.fromThrowable(cause);
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String detail = root == cause ? status.getDescription() : root.getMessage();
    report(what, status.getCode() + (detail == null ? "" : ": " + detail));
  }

  /** Reports that the collector did not accept a part of a request. */
  void reportRejected(String what, long count) {
    report(what, "the collector rejected " + count + " of them");
  }

  private void report(String what, String reason) {
    @Nullable String suppressed = limit.permit();
    if (suppressed != null) {
      LOG.warn(
          "Failed to export {} to OpenTelemetry; check the collector and telemetryConfig: {}{}"
              + " endpoint={}",
          what,
          reason,
          suppressed,
          endpoint);
    }
  }
}
