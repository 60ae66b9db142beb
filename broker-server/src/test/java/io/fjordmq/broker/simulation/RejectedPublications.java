package io.fjordmq.broker.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.delivery.PublishListener;
import io.fjordmq.broker.delivery.PublishOutcome;
import io.fjordmq.broker.delivery.PublishRouter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tracks messages that a node rejected entirely. An MQTT 5 publisher is notified and continues with
 * its next message; an MQTT 3 publisher is disconnected, and its later messages are not accepted.
 */
final class RejectedPublications {
  private final Ledger ledger;

  RejectedPublications(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Wraps the publish router of a node, so that messages it rejects are recorded. */
  PublishRouter wrap(PublishRouter publishRouter) {
    return Defect.replaceMethod(PublishRouter.class, publishRouter, "publish", this::publish);
  }

  private @Nullable Object publish(Defect.Call call, @Nullable Object... arguments) {
    Message message = (Message) Objects.requireNonNull(arguments[1]);
    PublishListener listener = (PublishListener) Objects.requireNonNull(arguments[4]);
    PublishListener recordingListener =
        outcome -> {
          recordIfRejected(message, outcome);
          listener.onPublished(outcome);
        };
    return call.invoke(arguments[0], message, arguments[2], arguments[3], recordingListener);
  }

  private void recordIfRejected(Message message, PublishOutcome outcome) {
    // A node without a lease keeps QoS 1 and 2 messages until it has one.
    boolean kept = outcome == PublishOutcome.NOT_SERVING && message.qos() != Qos.AT_MOST_ONCE;
    if (outcome.isRefusal() && !kept) {
      ledger.requirePublication(new String(message.payload(), UTF_8)).reject();
    }
  }
}
