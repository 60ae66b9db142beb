package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.dispatch.CopyDropReason;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.dispatch.RepeatedPublishes.LiveDeliveryState;
import io.fjordmq.broker.dispatch.ShareKey;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.RouteStore;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reroutes shared-subscription messages that a member has not acknowledged to other members: the
 * messages of a closed connection, and those left in the inbox of an ended session. Thread-safe; no
 * method blocks.
 */
final class ShareRerouting {
  private final RouteStore router;
  private final LiveDispatch dispatch;
  private final ShareDelivery shares;
  private final InboxDelivery inboxes;
  private final BooleanSupplier hasFreeDiskSpace;
  private final BooleanSupplier isServing;
  private final DeliveryObserver observer;

  ShareRerouting(
      DeliveryDependencies dependencies,
      LiveDispatch dispatch,
      ShareDelivery shares,
      InboxDelivery inboxes,
      DeliveryObserver observer) {
    this.router = dependencies.router();
    this.dispatch = dispatch;
    this.shares = shares;
    this.inboxes = inboxes;
    this.hasFreeDiskSpace = dependencies.hasFreeDiskSpace();
    this.isServing = dependencies.isServing();
    this.observer = observer;
  }

  /** Implements {@link PublishRouter#redistribute}. */
  void redistribute(LiveSession from, List<Delivery> deliveries) {
    long redistributed = 0;
    for (Delivery delivery : deliveries) {
      ShareKey key = delivery.share();
      if (key == null) {
        continue;
      }
      if (delivery.qos() != Qos.AT_LEAST_ONCE && !isServing.getAsBoolean()) {
        // The sending node may consider this incarnation ended and may have chosen another member.
        observer.onDropped(CopyDropReason.NOT_SERVING.label(), 1);
        continue;
      }
      ShareMatch share = shareOf(key, delivery.message());
      if (share == null) {
        observer.onDropped(CopyDropReason.NO_SHARE_MEMBER.label(), 1);
        continue;
      }
      ShareAttempt attempt =
          new ShareAttempt(key.tenant(), share, delivery.message(), null, null, null);
      attempt.exclude(from.clientId());
      InboxCopy copy = shares.start(attempt, inboxes);
      if (copy != null) {
        inboxes.storeAfterAcknowledgement(copy);
      }
      redistributed++;
    }
    flush();
    observer.onRedistributed(redistributed);
  }

  /**
   * Delivers a message left by an ended session to another member of the share. The store keeps the
   * message until the listener learns that a member has accepted it or that no member can.
   *
   * @param id the id of the publish; non-null if at most one member may receive the message
   * @param listener called once, on any thread
   */
  void publish(ShareKey key, Message message, @Nullable PublishId id, PublishListener listener) {
    if (!isServing.getAsBoolean()) {
      listener.onPublished(PublishOutcome.NOT_SERVING);
      return;
    }
    ShareMatch share = shareOf(key, message);
    if (share == null) {
      observer.onDropped(CopyDropReason.NO_SHARE_MEMBER.label(), 1);
      listener.onPublished(PublishOutcome.NO_MATCHING_SUBSCRIBERS);
      return;
    }
    if (!hasFreeDiskSpace.getAsBoolean() && hasInbox(share)) {
      listener.onPublished(PublishOutcome.LOW_DISK_SPACE);
      return;
    }
    PublishListener counting =
        outcome -> {
          if (outcome == PublishOutcome.ACCEPTED) {
            observer.onRedistributed(1);
          }
          listener.onPublished(outcome);
        };
    PublishJoin join = new PublishJoin(PublishOutcome.ACCEPTED, counting, DeliveryObserver.NONE);
    LiveDeliveryState live = id == null ? null : dispatch.repeatedPublishes().stateOf(id);
    InboxCopy copy =
        shares.start(ShareAttempt.ofStored(key.tenant(), share, message, id, live, join), inboxes);
    if (copy != null) {
      join.openPart();
      inboxes.store(copy, join);
    }
    join.closePart(PublishOutcome.ACCEPTED);
  }

  /** Ends a batch of calls, and hands the collected live deliveries to the other event loops. */
  void flush() {
    dispatch.outbox().flush();
  }

  /** Whether a member of the share has an inbox. */
  static boolean hasInbox(ShareMatch share) {
    return share.members().stream().anyMatch(route -> route.receiver() instanceof Receiver.Inbox);
  }

  private @Nullable ShareMatch shareOf(ShareKey key, Message message) {
    for (ShareMatch share : router.match(key.tenant(), message.topic()).shares()) {
      if (share.shareName().equals(key.shareName()) && share.pattern().equals(key.pattern())) {
        return share;
      }
    }
    return null;
  }
}
