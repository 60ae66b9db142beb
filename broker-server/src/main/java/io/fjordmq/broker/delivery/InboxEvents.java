package io.fjordmq.broker.delivery;

import io.fjordmq.api.Will;
import io.fjordmq.broker.dispatch.BoundedCalls;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.dispatch.StoreCalls;
import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.events.Dropped;
import io.fjordmq.broker.events.SessionExpired;
import io.fjordmq.broker.events.WillPublished;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.broker.nodes.NodeStream;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.DropReasons;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.PublishId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the events of the inbox store: forwards entries and fencing to the connected session,
 * publishes wills, removes the routes of ended sessions, and redistributes undelivered share
 * messages to other members. Thread-safe.
 */
final class InboxEvents implements InboxListener {
  private static final Logger LOG = LoggerFactory.getLogger(InboxEvents.class);

  /**
   * The maximum number of sessions that refetch concurrently after a range's leader has changed.
   */
  private static final int MAX_REFETCHES = 256;

  private record PendingWill(InboxId id, long incarnation, long epoch) {}

  private final LocalNode self;
  private final SessionRegistry registry;
  private final LiveDispatch dispatch;
  private final InboxPushes pushes;
  private final DeliveryObserver observer;
  private final NodeStreams nodes;
  private final InboxStore store;
  private final WillService wills;
  private final InboxRoutes routes;
  private final ClientHistory history;
  private final ShareRedistribution shareRedistribution;
  private final BoundedCalls refetches = new BoundedCalls(MAX_REFETCHES);

  /**
   * The wills being published. When the store repeats an event, this prevents live sessions from
   * receiving the will twice.
   */
  private final Set<PendingWill> publishingWills = ConcurrentHashMap.newKeySet();

  InboxEvents(
      LocalDelivery local,
      InboxStore store,
      WillService wills,
      InboxRoutes routes,
      ClientHistory history,
      ShareRedistribution shareRedistribution) {
    this.self = local.self();
    this.registry = local.registry();
    this.dispatch = local.dispatch();
    this.nodes = local.streams();
    this.pushes = new InboxPushes(local.dispatch(), local.settings());
    this.observer = local.observer();
    this.store = store;
    this.wills = wills;
    this.routes = routes;
    this.history = history;
    this.shareRedistribution = shareRedistribution;
  }

  @Override
  public void onAppended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {
    if (ownerNode.equals(self.id())) {
      onLocalAppend(handle, entries);
      return;
    }
    NodeStream stream = nodes.find(ownerNode);
    // Without a stream, the owner's incarnation has ended, and the sweeper detaches its inboxes.
    if (stream != null) {
      stream.queueEntries(new NodeItem.Appended(handle, entries));
    }
  }

  @Override
  public void onAppendsComplete() {
    nodes.all().forEach(NodeStream::sendQueued);
  }

  /** Makes the sessions of the range's inboxes refetch, on this and all other nodes. */
  @Override
  public void onLeaderStart(InboxSpan span) {
    refetchLocal(span);
    nodes.all().forEach(stream -> stream.sendNotice(new NodeItem.LeaderNotice(span.keys())));
  }

  @Override
  public void onFenced(String ownerNode, InboxHandle handle) {
    if (ownerNode.equals(self.id())) {
      onLocalFence(handle);
      return;
    }
    NodeStream stream = nodes.find(ownerNode);
    if (stream != null) {
      stream.sendNotice(new NodeItem.FenceNotice(handle));
    }
  }

  /** Pushes appended entries to the session on this node. Any node may lead the inbox's range. */
  void onLocalAppend(InboxHandle handle, List<InboxEntry> entries) {
    LiveSession session = sessionOf(handle.id());
    if (session != null) {
      pushes.push(session, handle, entries);
    }
  }

  /** Notifies the session on this node whose inbox another connection has attached. */
  void onLocalFence(InboxHandle handle) {
    LiveSession session = sessionOf(handle.id());
    if (session != null) {
      dispatch.mailbox(session.eventLoop()).call(() -> session.onFenced(handle));
    }
  }

  /**
   * Makes all sessions on this node refetch whose inboxes are in the span, a limited number at a
   * time.
   */
  void refetchLocal(InboxSpan span) {
    registry.forEach(
        session -> {
          if (span.test(new InboxId(session.tenant(), session.clientId()))) {
            refetches.run(() -> refetch(session));
          }
        });
  }

  /** Makes the session of an inbox refetch if it is connected to this node. */
  void refetchLocal(InboxId inbox) {
    LiveSession session = sessionOf(inbox);
    if (session != null) {
      refetches.run(() -> refetch(session));
    }
  }

  /** Returns null if the connection is ending; the client's next connection will read the inbox. */
  private @Nullable LiveSession sessionOf(InboxId inbox) {
    return registry.find(inbox.tenant(), inbox.clientId());
  }

  private static CompletableFuture<Void> refetch(LiveSession session) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    session
        .eventLoop()
        .execute(
            () -> {
              try {
                session.refetch().whenComplete((read, failure) -> done.complete(null));
              } catch (RuntimeException | Error e) {
                // Otherwise, this refetch would count against the limit forever.
                done.complete(null);
                throw e;
              }
            });
    return done;
  }

  @Override
  public void onWillDue(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder connectOrder,
      PublishId publishId) {
    PendingWill pending = new PendingWill(id, incarnation, epoch);
    if (!publishingWills.add(pending)) {
      return;
    }
    try {
      wills.publish(
          id.tenant(),
          will,
          connectOrder,
          publishId,
          outcome -> onWillPublished(pending, will, outcome));
    } catch (RuntimeException e) {
      publishingWills.remove(pending);
      LOG.error(
          "Failed to publish a will; retrying client={} tenant={}", id.clientId(), id.tenant(), e);
    }
  }

  @Override
  public void onSessionEnded(InboxId id, long incarnation, List<InboxSubscription> subscriptions) {
    routes
        .removeAll(id, incarnation, subscriptions)
        .whenComplete(
            (ok, fault) -> {
              if (fault != null) {
                observer.onRouteFailed();
              }
            });
  }

  @Override
  public void onUndeliveredShareMessages(InboxId id, long incarnation) {
    shareRedistribution.redistribute(id, incarnation);
  }

  @Override
  public void onSessionExpired(InboxId id) {
    history.recordUnconnected(id.tenant(), id.clientId(), new SessionExpired());
  }

  @Override
  public void onDropped(InboxId id, String reason, long count) {
    history.recordUnconnected(
        id.tenant(), id.clientId(), Dropped.toClient(reason, count, null, limitOf(reason), -1));
  }

  private static String limitOf(String reason) {
    return reason.equals(DropReasons.INBOX_FULL) ? "inboxConfig.limits" : "";
  }

  private void onWillPublished(PendingWill pending, Will will, PublishOutcome outcome) {
    if (outcome == PublishOutcome.NOT_DURABLE || outcome.isRefusal()) {
      publishingWills.remove(pending); // the store repeats the event
      return;
    }
    history.recordUnconnected(
        pending.id.tenant(),
        pending.id.clientId(),
        new WillPublished(will.message().topic().name(), outcome != PublishOutcome.QUOTA_EXCEEDED));
    if (outcome == PublishOutcome.QUOTA_EXCEEDED) {
      LOG.warn(
          "Will was not delivered to all subscribers: a limit was exceeded client={} tenant={}",
          pending.id.clientId(),
          pending.id.tenant());
    }
    StoreCalls.tryCall(() -> store.confirmWill(pending.id, pending.incarnation, pending.epoch))
        .whenComplete((ok, fault) -> publishingWills.remove(pending));
  }
}
