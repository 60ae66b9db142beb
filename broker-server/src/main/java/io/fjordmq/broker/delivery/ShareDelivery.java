package io.fjordmq.broker.delivery;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.router.Route;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Brings a share's message to one member, and to the next if that one cannot take it. */
final class ShareDelivery {

  /** Stores a copy although its publisher has been answered already. */
  @FunctionalInterface
  interface LateStore {
    /** Stores it or counts it as dropped. */
    void store(InboxCopy copy);
  }

  private final ShareSelection selection;
  private final LiveDispatch dispatch;
  private final DeliveryObserver observer;

  ShareDelivery(ShareSelection selection, LiveDispatch dispatch, DeliveryObserver observer) {
    this.selection = selection;
    this.dispatch = dispatch;
    this.observer = observer;
  }

  /**
   * Sends the message to the chosen member if that is connected.
   *
   * @param late where it goes if that member turns out to be gone, and an inbox is next
   * @return the copy to be stored if an inbox was chosen; null if there is nothing to store
   */
  @Nullable InboxCopy start(ShareAttempt attempt, LateStore late) {
    return attempt.isRepeated() ? null : chooseAndSend(attempt, late);
  }

  private @Nullable InboxCopy chooseAndSend(ShareAttempt attempt, LateStore late) {
    ShareSelection.Choice choice = selection.choose(attempt);
    if (choice instanceof ShareSelection.Choice.Live live) {
      Recipients member =
          Recipients.chosen(live.member(), refused -> next(attempt, live.route(), late));
      attempt.sendLive();
      dispatch.outbox().send(delivery(attempt, live.options()), member);
      return null;
    }
    if (choice instanceof ShareSelection.Choice.Stored stored) {
      return InboxCopy.of(attempt, stored.inbox(), stored.route());
    }
    observer.dropped(((ShareSelection.Choice.Lost) choice).reason().label(), 1);
    return null;
  }

  private void next(ShareAttempt attempt, Route refusing, LateStore late) {
    attempt.exclude(ShareSelection.clientIdOf(refusing));
    InboxCopy copy = chooseAndSend(attempt, late);
    if (copy != null) {
      late.store(copy);
    }
  }

  private static Delivery delivery(ShareAttempt attempt, SubscriptionOptions options) {
    return new Delivery(
        attempt.message(),
        attempt.message().qos().min(options.maxQos()),
        attempt.message().retain() && options.retainAsPublished(),
        options.identifier() == 0 ? List.of() : List.of(options.identifier()),
        attempt.key());
  }
}
