package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.telemetry.PublishSpan;
import org.jspecify.annotations.Nullable;

/** Ends the span of a publish that has no acknowledgement of its own, with its outcome. */
public record TracedPublish(PublishListener listener, PublishSpan span) implements PublishListener {

  /**
   * Returns a listener that ends the span of a message that is published by the broker itself; the
   * same listener if the message is not traced.
   *
   * @param tracer null if no message is traced
   */
  public static PublishListener of(
      @Nullable MessageTracer tracer,
      MessageTracer.Origin origin,
      String tenant,
      Message message,
      PublishListener listener) {
    PublishSpan span =
        tracer == null ? null : tracer.beginPublish(message, tenant, message.publisher(), origin);
    return span == null ? listener : new TracedPublish(listener, span);
  }

  @Override
  public void onPublished(PublishOutcome outcome) {
    span.end(outcome.error());
    listener.onPublished(outcome);
  }
}
