package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.dispatch.CopyDropReason;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.dispatch.LocalSubscriptions;
import io.fjordmq.broker.dispatch.Mailbox;
import io.fjordmq.broker.dispatch.Outbox;
import io.fjordmq.broker.dispatch.RepeatedPublishes.LiveDeliveryState;
import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.events.Dropped;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.telemetry.MessageSpan;
import io.fjordmq.broker.telemetry.PublishSpan;
import io.fjordmq.broker.telemetry.PublishSpan.RouteSpan;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.MessageStep;
import io.fjordmq.broker.trace.Receivers;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.MatchedRoutes.InboxMatch;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.RouteStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Distributes published messages. Live sessions receive a message immediately, while the stores are
 * still writing it; only the acknowledgement to the publisher waits for the stores.
 *
 * <p>{@link #publish} hands the message over to every receiver before it returns: directly to live
 * receivers on the same event loop, through mailboxes to those on other event loops, and through
 * ranges to inboxes. Each of these paths preserves the order of messages from one caller.
 */
public final class Distribution implements PublishRouter {
  private static final Logger LOG = LoggerFactory.getLogger(Distribution.class);

  private final LocalNode self;
  private final RouteStore router;
  private final RetainedPublishes retained;
  private final LocalSubscriptions local;
  private final SessionRegistry registry;
  private final LiveDispatch dispatch;
  private final ShareSelection selection;
  private final ShareDelivery shares;
  private final InboxDelivery inboxes;
  private final ShareRerouting rerouting;
  private final RemoteDelivery otherNodes;
  private final BooleanSupplier hasFreeDiskSpace;
  private final BooleanSupplier isServing;
  private final DeliveryObserver observer;
  private final ClientHistory history;
  private final Tracer tracer;
  private final TopicTraffic topicTraffic;
  private final RateLimitedLog notServing = new RateLimitedLog();

  Distribution(LocalDelivery local, LocalSubscriptions live, DeliveryDependencies dependencies) {
    DeliverySettings settings = local.settings();
    NodeStreams nodes = local.streams();
    this.self = local.self();
    this.observer = local.observer();
    this.history = dependencies.history();
    this.tracer = dependencies.tracer();
    this.topicTraffic = dependencies.topicTraffic();
    this.router = dependencies.router();
    this.retained = new RetainedPublishes(dependencies.retained());
    this.local = live;
    this.registry = local.registry();
    this.dispatch = local.dispatch();
    this.otherNodes = new RemoteDelivery(self, nodes, observer);
    this.hasFreeDiskSpace = dependencies.hasFreeDiskSpace();
    this.isServing = dependencies.isServing();
    this.selection = new ShareSelection(self, otherNodes, live, registry, settings);
    this.shares = new ShareDelivery(selection, dispatch, observer);
    this.inboxes =
        new InboxDelivery(
            dependencies.inboxes(),
            router,
            shares,
            dispatch,
            live.removals(),
            observer,
            dependencies.history(),
            tracer);
    this.rerouting = new ShareRerouting(dependencies, dispatch, shares, inboxes, observer);
  }

  @Override
  public int publish(
      String tenant,
      Message message,
      ConnectOrder connectOrder,
      @Nullable PublishId id,
      PublishListener listener) {
    if (tracer.isTracing(tenant, message.topic())) {
      String publisher = message.publisher().isEmpty() ? null : message.publisher();
      MessageStep step = new MessageStep.Routed(receivers(tenant, message));
      tracer.onMessage(step, tenant, publisher, null, message);
    }
    Outbox outbox = dispatch.outbox();
    distribute(tenant, message, connectOrder, id, listener, outbox);
    return outbox.takeVisitedNodes();
  }

  @Override
  public Receivers receivers(String tenant, Message message) {
    Outbox outbox = dispatch.outbox();
    MatchedRoutes routes = router.match(tenant, message.topic(), outbox);
    int otherCount = 0;
    int localClients = 0;
    for (Receiver.Live node : routes.nodes()) {
      if (self.isCurrentIncarnation(node)) {
        localClients = local.match(tenant, message, outbox).fanOut().size();
      } else if (self.isOtherNode(node) && routes.shouldForward(node, message.qos())) {
        otherCount++;
      }
    }
    outbox.takeVisitedNodes(); // the publisher is not charged for them
    int storing = 0;
    for (InboxMatch match : routes.inboxes()) {
      InboxCopy copy = InboxCopy.of(tenant, match, message);
      if (copy != null && !copy.isAtMostOnce()) {
        storing++;
      }
    }
    return new Receivers(localClients, otherCount, storing, routes.shares().size());
  }

  private void distribute(
      String tenant,
      Message message,
      ConnectOrder connectOrder,
      @Nullable PublishId id,
      PublishListener listener,
      Outbox outbox) {
    PublishSpan span = listener.span();
    MatchedRoutes routes =
        span == null
            ? router.match(tenant, message.topic(), outbox)
            : matchTraced(tenant, message, outbox, span);
    PublishOutcome bestOutcome =
        routes.isEmpty() ? PublishOutcome.NO_MATCHING_SUBSCRIBERS : PublishOutcome.ACCEPTED;
    boolean hasSpace = hasFreeDiskSpace.getAsBoolean();
    PublishOutcome refusal = refusal(message, routes, hasSpace);
    if (refusal == PublishOutcome.NOT_SERVING) {
      observer.onPublished(refusal);
      listener.onPublished(refusal); // called synchronously, as sessions expect
      return;
    }
    topicTraffic.onPublished(tenant, message.topic(), message.qos());
    if (refusal != null) {
      topicTraffic.onDropped(tenant, message.topic(), 1);
      complete(refusal, listener, outbox);
      return;
    }
    if (routes.isEmpty() && !message.retain()) {
      topicTraffic.onDropped(tenant, message.topic(), 1);
    }
    LiveDeliveryState live = id == null ? null : dispatch.repeatedPublishes().stateOf(id);
    if (isForThisNodeOnly(message, routes)) {
      deliverLocally(tenant, message, routes, live, outbox);
      complete(bestOutcome, listener, outbox);
      return;
    }
    PublishJoin join = new PublishJoin(bestOutcome, listener, observer);
    if (message.retain()) {
      join.openPart();
      if (hasSpace || isClearing(message)) {
        retained.store(tenant, message, connectOrder, onRetained(span, join));
      } else {
        join.closePart(PublishOutcome.LOW_DISK_SPACE);
      }
    }
    List<InboxCopy> copies = collectCopies(tenant, message, routes, id, live, join);
    if (!copies.isEmpty()) {
      join.openPart();
      inboxes.store(message, copies, id, onStored(span, copies.size(), join));
    }
    deliverLocally(tenant, message, routes, live, outbox);
    otherNodes.send(tenant, message, routes, id, join);
    Mailbox congested = outbox.takeCongested();
    if (congested != null) {
      join.openPart();
      observer.onAcknowledgementDelayed();
      congested.whenDrained(() -> join.closePart(PublishOutcome.ACCEPTED));
    }
    join.closePart(bestOutcome);
  }

  private MatchedRoutes matchTraced(
      String tenant, Message message, Outbox outbox, PublishSpan span) {
    RouteSpan route = span.beginRoute();
    MatchedRoutes routes = router.match(tenant, message.topic(), outbox);
    route.end(routes.nodes().size(), routes.inboxes().size(), routes.shares().size());
    return routes;
  }

  private static Consumer<PublishOutcome> onStored(
      @Nullable PublishSpan span, int copies, PublishJoin join) {
    return span == null ? join::closePart : endingPart(span.beginStore(copies), join);
  }

  private static Consumer<PublishOutcome> onRetained(@Nullable PublishSpan span, PublishJoin join) {
    return span == null ? join::closePart : endingPart(span.beginRetain(), join);
  }

  private static Consumer<PublishOutcome> endingPart(MessageSpan part, PublishJoin join) {
    return outcome -> {
      part.end(outcome.error());
      join.closePart(outcome);
    };
  }

  /**
   * Delivers a message that the node itself publishes ($SYS) to subscribers connected to this node
   * only. Shared subscriptions do not receive it.
   */
  public void publishLocally(String tenant, Message message) {
    Outbox outbox = dispatch.outbox();
    local.match(tenant, message, outbox).fanOut().send(message, outbox);
    outbox.flush();
  }

  private boolean isForThisNodeOnly(Message message, MatchedRoutes routes) {
    return !message.retain()
        && routes.inboxes().isEmpty()
        && routes.shares().isEmpty()
        && !otherNodes.hasReceivers(routes, message.qos());
  }

  /** Returns the outcome if the message is refused entirely; null if it is not refused. */
  private @Nullable PublishOutcome refusal(
      Message message, MatchedRoutes routes, boolean hasSpace) {
    boolean atMostOnce = message.qos() == Qos.AT_MOST_ONCE;
    if (!isServing.getAsBoolean()) {
      if (atMostOnce) {
        observer.onDropped(CopyDropReason.NOT_SERVING.label(), 1);
      }
      @Nullable String suppressed = notServing.permit();
      if (suppressed != null) {
        LOG.warn(
            "Rejecting QoS 1 and 2 publishes and dropping QoS 0: this node may not know all"
                + " receivers{} topic={}",
            suppressed,
            message.topic());
      }
      return PublishOutcome.NOT_SERVING;
    }
    if (!hasSpace && mustBeStored(message, routes)) {
      return PublishOutcome.LOW_DISK_SPACE;
    }
    return !atMostOnce && otherNodes.hasFullStream(routes, message.qos())
        ? PublishOutcome.NODE_CONGESTED
        : null;
  }

  /**
   * Whether the message must be refused if disk space is low. A QoS 0 message is delivered to
   * connected clients even if it cannot be retained.
   */
  private static boolean mustBeStored(Message message, MatchedRoutes routes) {
    return message.qos() != Qos.AT_MOST_ONCE
        && ((message.retain() && !isClearing(message))
            || !routes.inboxes().isEmpty()
            || routes.shares().stream().anyMatch(ShareRerouting::hasInbox));
  }

  /** Whether the message clears a retained message, which frees disk space. */
  private static boolean isClearing(Message message) {
    return message.payload().length == 0;
  }

  @Override
  public void flush() {
    dispatch.outbox().flush();
  }

  @Override
  public void redistribute(LiveSession from, List<Delivery> deliveries) {
    rerouting.redistribute(from, deliveries);
  }

  /** Redistributes messages of shares to other members. */
  ShareRerouting rerouting() {
    return rerouting;
  }

  /** The state of this node's delivery, for gauges. */
  public DeliveryStatus status() {
    return new DeliveryStatus(
        local.filterCount(),
        local.heldRoutes(),
        local.failedRouteRemovals(),
        local.removals().queuedCount(),
        local.cachedTopics(),
        dispatch.waitingCopies(),
        dispatch.waitingBytes(),
        dispatch.delayedPublishes(),
        selection.rotationCount(),
        dispatch.repeatedPublishes().size(),
        dispatch.repeatedPublishes().messageCount(),
        otherNodes.status());
  }

  private void complete(PublishOutcome outcome, PublishListener listener, Outbox outbox) {
    observer.onPublished(outcome);
    Mailbox congested = outbox.takeCongested();
    if (congested == null) {
      listener.onPublished(outcome);
    } else {
      observer.onAcknowledgementDelayed();
      congested.whenDrained(() -> listener.onPublished(outcome));
    }
  }

  /**
   * Collects the copies to be stored. If the chosen member of a share is connected, the message is
   * sent to it immediately.
   */
  private List<InboxCopy> collectCopies(
      String tenant,
      Message message,
      MatchedRoutes routes,
      @Nullable PublishId id,
      @Nullable LiveDeliveryState live,
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
          && !otherNodes.hasReceivers(routes, message.qos())) {
        recordOffline(tenant, match.inbox().clientId(), message);
      } // else: the session also has a live subscription, on this or another node
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

  private void recordOffline(String tenant, String clientId, Message message) {
    String reason = CopyDropReason.QOS0_OFFLINE.label();
    observer.onDropped(reason, 1);
    topicTraffic.onDropped(tenant, message.topic(), 1);
    // Only if known: the message may concern all offline clients.
    history.recordIfKnown(tenant, clientId, Dropped.toClient(reason, 1, message.topic().name()));
  }

  private void deliverLocally(
      String tenant,
      Message message,
      MatchedRoutes routes,
      @Nullable LiveDeliveryState live,
      Outbox outbox) {
    if (live != null && !live.markSent()) {
      return; // a duplicate, already delivered
    }
    List<Receiver.Live> nodes = routes.nodes();
    for (int i = 0; i < nodes.size(); i++) {
      Receiver.Live node = nodes.get(i);
      if (self.isCurrentIncarnation(node) && routes.shouldForward(node, message.qos())) {
        local.match(tenant, message, outbox).fanOut().send(message, outbox);
      } // else: another node; an earlier incarnation of this node, whose clients are gone; or all
      // clients receive the message through their inboxes
    }
  }
}
