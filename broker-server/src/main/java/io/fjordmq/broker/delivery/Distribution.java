package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.delivery.RepeatedPublishes.LivePart;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.range.RangeException;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.MatchedRoutes.InboxMatch;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Router;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Distributes published messages. Live sessions get a message immediately, while the stores still
 * write; only the answer to the publisher waits for the stores.
 *
 * <p>Order: {@link #publish} hands over everything before it returns. A live receiver on the same
 * event loop gets the message directly, one on another event loop through its mailbox, an inbox
 * through its range; on each of these paths, messages of one caller keep their order.
 */
public final class Distribution implements PublishRouter {
  private static final Logger LOG = LoggerFactory.getLogger(Distribution.class);

  private final LocalNode self;
  private final Router router;
  private final RetainStore retained;
  private final LocalSubscriptions local;
  private final SessionRegistry registry;
  private final LiveDispatch dispatch;
  private final ShareSelection selection;
  private final ShareDelivery shares;
  private final InboxDelivery inboxes;
  private final OtherNodes others;
  private final BooleanSupplier hasRoom;
  private final BooleanSupplier isServing;
  private final DeliveryObserver observer;
  private final RateLimitedLog notRetained = new RateLimitedLog();
  private final RateLimitedLog notServing = new RateLimitedLog();

  /**
   * @param nodes the streams to other nodes
   * @param hasRoom whether there is enough disk space for messages that have to be stored
   * @param isServing whether this node is certain to know all receivers
   */
  public Distribution(
      LocalNode self,
      Router router,
      InboxStore inboxes,
      RetainStore retained,
      LocalSubscriptions local,
      SessionRegistry registry,
      LiveDispatch dispatch,
      DeliverySettings settings,
      NodeStreams nodes,
      BooleanSupplier hasRoom,
      BooleanSupplier isServing,
      DeliveryObserver observer) {
    this.self = self;
    this.router = router;
    this.retained = retained;
    this.local = local;
    this.registry = registry;
    this.dispatch = dispatch;
    this.others = new OtherNodes(self, nodes, observer);
    this.hasRoom = hasRoom;
    this.isServing = isServing;
    this.observer = observer;
    this.selection = new ShareSelection(self, others, local, registry, settings);
    this.shares = new ShareDelivery(selection, dispatch, observer);
    this.inboxes = new InboxDelivery(inboxes, router, shares, dispatch, local.removals(), observer);
  }

  @Override
  public int publish(
      String tenant,
      Message message,
      ConnectOrder connectOrder,
      @Nullable PublishId id,
      PublishListener listener) {
    Outbox outbox = dispatch.outbox();
    distribute(tenant, message, connectOrder, id, listener, outbox);
    return outbox.takeVisited();
  }

  private void distribute(
      String tenant,
      Message message,
      ConnectOrder connectOrder,
      @Nullable PublishId id,
      PublishListener listener,
      Outbox outbox) {
    MatchedRoutes routes = router.match(tenant, message.topic(), outbox);
    PublishOutcome atBest =
        routes.isEmpty() ? PublishOutcome.NO_MATCHING_SUBSCRIBERS : PublishOutcome.ACCEPTED;
    boolean room = hasRoom.getAsBoolean();
    PublishOutcome refusal = refusal(message, routes, room);
    if (refusal == PublishOutcome.NOT_SERVING) {
      observer.published(refusal);
      listener.published(refusal); // immediately, as sessions expect
      return;
    }
    if (refusal != null) {
      answer(refusal, listener, outbox);
      return;
    }
    LivePart live = id == null ? null : dispatch.repeated().of(id);
    if (isForThisNodeOnly(message, routes)) {
      sendHere(tenant, message, routes, live, outbox);
      answer(atBest, listener, outbox);
      return;
    }
    PublishJoin join = new PublishJoin(atBest, listener, observer);
    if (message.retain()) {
      join.open();
      if (room || isClearing(message)) {
        retain(tenant, message, connectOrder, join);
      } else {
        join.part(PublishOutcome.NO_ROOM);
      }
    }
    List<InboxCopy> copies = copiesFor(tenant, message, routes, id, live, join);
    if (!copies.isEmpty()) {
      join.open();
      inboxes.store(message, copies, id, join::part);
    }
    sendHere(tenant, message, routes, live, outbox);
    others.send(tenant, message, routes, id, join);
    Mailbox congested = outbox.takeCongested();
    if (congested != null) {
      join.open();
      observer.slowed();
      congested.whenDrained(() -> join.part(PublishOutcome.ACCEPTED));
    }
    join.part(atBest);
  }

  /**
   * Delivers a message of the node itself ($SYS) to connected subscribers of this node only,
   * without shared subscriptions.
   */
  public void publishHere(String tenant, Message message) {
    Outbox outbox = dispatch.outbox();
    local.match(tenant, message, outbox).fanOut().send(message, outbox);
    outbox.flush();
  }

  private boolean isForThisNodeOnly(Message message, MatchedRoutes routes) {
    return !message.retain()
        && routes.inboxes().isEmpty()
        && routes.shares().isEmpty()
        && !others.areAmong(routes, message.qos());
  }

  /** Why the message is refused as a whole; null if it is not. */
  private @Nullable PublishOutcome refusal(Message message, MatchedRoutes routes, boolean room) {
    boolean atMostOnce = message.qos() == Qos.AT_MOST_ONCE;
    if (!isServing.getAsBoolean()) {
      if (atMostOnce) {
        observer.dropped(CopyDropReason.NOT_SERVING.label(), 1);
      }
      @Nullable String suppressed = notServing.permit();
      if (suppressed != null) {
        LOG.warn(
            "Rejecting publishes (dropping QoS 0): this node may not know all receivers{} topic={}",
            suppressed,
            message.topic());
      }
      return PublishOutcome.NOT_SERVING;
    }
    if (!room && mustBeStored(message, routes)) {
      return PublishOutcome.NO_ROOM;
    }
    return !atMostOnce && others.areCongested(routes, message.qos())
        ? PublishOutcome.NODE_CONGESTED
        : null;
  }

  /** Messages of QoS 0 never have to: without disk space, connected clients still get them. */
  private static boolean mustBeStored(Message message, MatchedRoutes routes) {
    return message.qos() != Qos.AT_MOST_ONCE
        && ((message.retain() && !isClearing(message))
            || !routes.inboxes().isEmpty()
            || routes.shares().stream().anyMatch(Distribution::hasInbox));
  }

  /** Clears a retained message, which frees space. */
  private static boolean isClearing(Message message) {
    return message.payload().length == 0;
  }

  private static boolean hasInbox(ShareMatch share) {
    return share.members().stream().anyMatch(route -> route.receiver() instanceof Receiver.Inbox);
  }

  @Override
  public void flush() {
    dispatch.outbox().flush();
  }

  @Override
  public void redistribute(LiveSession from, List<Delivery> deliveries) {
    long given = 0;
    for (Delivery delivery : deliveries) {
      ShareKey key = delivery.share();
      if (key == null) {
        continue;
      }
      if (delivery.qos() != Qos.AT_LEAST_ONCE && !isServing.getAsBoolean()) {
        // The sending node may consider this incarnation over and have chosen another member.
        observer.dropped(CopyDropReason.NOT_SERVING.label(), 1);
        continue;
      }
      ShareMatch share = shareOf(key, delivery.message());
      if (share == null) {
        observer.dropped(CopyDropReason.NO_SHARE_MEMBER.label(), 1);
        continue;
      }
      ShareAttempt attempt =
          new ShareAttempt(key.tenant(), share, delivery.message(), null, null, null);
      attempt.exclude(from.clientId());
      InboxCopy copy = shares.start(attempt, inboxes);
      if (copy != null) {
        inboxes.storeLate(copy);
      }
      given++;
    }
    flush();
    observer.redistributed(given);
  }

  @Override
  public void giveToShare(
      ShareKey key, Message message, @Nullable PublishId id, PublishListener listener) {
    if (!isServing.getAsBoolean()) {
      listener.published(PublishOutcome.NOT_SERVING);
      return;
    }
    ShareMatch share = shareOf(key, message);
    if (share == null) {
      observer.dropped(CopyDropReason.NO_SHARE_MEMBER.label(), 1);
      listener.published(PublishOutcome.NO_MATCHING_SUBSCRIBERS);
      return;
    }
    if (!hasRoom.getAsBoolean() && hasInbox(share)) {
      listener.published(PublishOutcome.NO_ROOM);
      return;
    }
    PublishListener counting =
        outcome -> {
          if (outcome == PublishOutcome.ACCEPTED) {
            observer.redistributed(1);
          }
          listener.published(outcome);
        };
    PublishJoin join = new PublishJoin(PublishOutcome.ACCEPTED, counting, DeliveryObserver.NONE);
    LivePart live = id == null ? null : dispatch.repeated().of(id);
    InboxCopy copy =
        shares.start(ShareAttempt.ofStored(key.tenant(), share, message, id, live, join), inboxes);
    if (copy != null) {
      join.open();
      inboxes.store(copy, join);
    }
    join.part(PublishOutcome.ACCEPTED);
  }

  /** The state of delivery, for gauges. */
  public DeliveryStatus status() {
    return new DeliveryStatus(
        local.filters(),
        local.heldRoutes(),
        local.leftoverRoutes(),
        local.removals().waiting(),
        local.cachedTopics(),
        dispatch.waitingCopies(),
        dispatch.waitingBytes(),
        dispatch.slowedPublishes(),
        selection.remembered(),
        dispatch.repeated().size(),
        dispatch.repeated().messages(),
        others.status());
  }

  private void answer(PublishOutcome outcome, PublishListener listener, Outbox outbox) {
    observer.published(outcome);
    Mailbox congested = outbox.takeCongested();
    if (congested == null) {
      listener.published(outcome);
    } else {
      observer.slowed();
      congested.whenDrained(() -> listener.published(outcome));
    }
  }

  private void retain(String tenant, Message message, ConnectOrder connectOrder, PublishJoin join) {
    RetainVersion retainVersion =
        new RetainVersion(connectOrder.epochVersion(), connectOrder.index());
    StoreCalls.guarded(() -> retained.put(tenant, message, retainVersion))
        .whenComplete(
            (outcome, fault) -> {
              if (fault != null) {
                @Nullable String suppressed = notRetained.permit();
                if (suppressed != null) {
                  LOG.warn(
                      "Failed to store a retained message; its publisher gets no acknowledgement: "
                          + "{}{} topic={}",
                      fault.toString(),
                      suppressed,
                      message.topic(),
                      fault instanceof RangeException ? null : fault);
                }
                join.part(PublishOutcome.NOT_DURABLE);
              } else {
                join.part(retained(outcome));
              }
            });
  }

  private static PublishOutcome retained(RetainStore.PutOutcome outcome) {
    return switch (outcome) {
      // A superseded message is equivalent to one that was kept and replaced at once.
      case KEPT, CLEARED, SUPERSEDED -> PublishOutcome.ACCEPTED;
      case REFUSED_FULL, REFUSED_BYTES -> PublishOutcome.QUOTA_EXCEEDED;
    };
  }

  /** Collects the copies to store; sends messages of shares to connected members directly. */
  private List<InboxCopy> copiesFor(
      String tenant,
      Message message,
      MatchedRoutes routes,
      @Nullable PublishId id,
      @Nullable LivePart live,
      PublishJoin join) {
    List<InboxCopy> copies = new ArrayList<>(routes.inboxes().size() + routes.shares().size());
    for (InboxMatch match : routes.inboxes()) {
      InboxCopy copy = InboxCopy.of(tenant, match, message);
      if (copy == null) {
        continue;
      }
      if (!copy.isAtMostOnce()) {
        copies.add(copy);
      } else if (registry.find(tenant, match.inbox().clientId()) == null
          && !others.areAmong(routes, message.qos())) {
        observer.dropped(CopyDropReason.QOS0_OFFLINE.label(), 1);
      } // else: the session also has a live subscription, here or at another node
    }
    for (ShareMatch share : routes.shares()) {
      InboxCopy copy =
          shares.start(new ShareAttempt(tenant, share, message, id, live, join), inboxes);
      if (copy != null) {
        copies.add(copy);
      }
    }
    return copies;
  }

  private void sendHere(
      String tenant,
      Message message,
      MatchedRoutes routes,
      @Nullable LivePart live,
      Outbox outbox) {
    if (live != null && !live.isFirst()) {
      return; // a duplicate, already delivered
    }
    List<Receiver.Live> nodes = routes.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      if (self.is(nodes.get(i))) {
        local.match(tenant, message, outbox).fanOut().send(message, outbox);
      } // else: another node, or an earlier incarnation of this one, whose clients are gone
    }
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
