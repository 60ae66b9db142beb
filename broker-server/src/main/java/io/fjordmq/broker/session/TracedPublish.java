package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.telemetry.PublishSpan;

/** Ends the span of a QoS 0 publish, which has no acknowledgement, with its outcome. */
record TracedPublish(PublishListener listener, PublishSpan span) implements PublishListener {
  @Override
  public void onPublished(PublishOutcome outcome) {
    span.end(outcome.error());
    listener.onPublished(outcome);
  }
}
