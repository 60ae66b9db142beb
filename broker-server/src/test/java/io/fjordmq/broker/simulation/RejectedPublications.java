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
 * Tracks messages that a node refused as a whole: an MQTT 5 publisher is notified and continues
 * with the next. Others are disconnected, and what they sent after it is not accepted.
 */
final class RejectedPublications {
  private final Ledger ledger;

  RejectedPublications(Ledger ledger) {
    this.ledger = ledger;
  }

  /** A node's publisher, as its sessions see it. */
  PublishRouter watched(PublishRouter publishRouter) {
    return Defect.changed(PublishRouter.class, publishRouter, "publish", this::publish);
  }

  private @Nullable Object publish(Defect.Call call, @Nullable Object... arguments) {
    Message message = (Message) Objects.requireNonNull(arguments[1]);
    PublishListener listener = (PublishListener) Objects.requireNonNull(arguments[4]);
    PublishListener noting =
        outcome -> {
          note(message, outcome);
          listener.onPublished(outcome);
        };
    return call.make(arguments[0], message, arguments[2], arguments[3], noting);
  }

  private void note(Message message, PublishOutcome outcome) {
    // Without a lease a node keeps what is to be answered until it has one.
    boolean kept = outcome == PublishOutcome.NOT_SERVING && message.qos() != Qos.AT_MOST_ONCE;
    if (outcome.isRefusal() && !kept) {
      ledger.published(new String(message.payload(), UTF_8)).reject();
    }
  }
}
