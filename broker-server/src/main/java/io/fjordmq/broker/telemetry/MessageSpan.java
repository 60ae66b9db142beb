package io.fjordmq.broker.telemetry;

import org.jspecify.annotations.Nullable;

/** A span that has begun. Thread-safe; does not block. */
public interface MessageSpan {
  /**
   * Ends the span. Only the first call has an effect.
   *
   * @param error the reason of the failure, as one of few words such as {@code quota_exceeded};
   *     null for success
   */
  void end(@Nullable String error);
}
