package io.fjordmq.broker.delivery;

import io.fjordmq.api.Will;
import io.fjordmq.broker.dispatch.BoundedCalls;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.dispatch.StoreCalls;
import io.fjordmq.broker.nodes.NodeItem;
import io.fjordmq.broker.nodes.NodeStream;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.inbox.ConnectOrder;
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
 * Forwards the events of the inbox store: entries and fencing to the connected session, wills to
 * the publisher, ended sessions to the router, and undelivered share messages to other members.
 * Thread-safe.
 */
final class InboxEvents implements InboxListener {
  private static final Logger LOG = LoggerFactory.getLogger(InboxEvents.class);

  /** Limit of sessions that refetch concurrently because a range has a new leader. */
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
  private final ShareRedistribution shareRedistribution;
  private final BoundedCalls refetches = new BoundedCalls(MAX_REFETCHES);

  /** Wills being published, so that the store's repetitions do not reach live sessions twice. */
  private final Set<PendingWill> publishingWills = ConcurrentHashMap.newKeySet();

  InboxEvents(
      LocalDelivery local,
      InboxStore store,
      WillService wills,
      InboxRoutes routes,
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
    this.shareRedistribution = shareRedistribution;
  }

  @Override
  public void onAppended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {
    if (ownerNode.equals(self.id())) {
      onLocalAppend(handle, entries);
      return;
    }
    NodeStream stream = nodes.find(ownerNode);
    if (stream != null) { // else its incarnation is over, and the sweeper detaches its inboxes
      stream.pushEntries(new NodeItem.Appended(handle, entries));
    }
  }

  /** A range may have many sessions; the number of concurrent refetches is limited. */
  @Override
  public void onLeaderStart(InboxSpan span) {
    onLocalLeadership(span);
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

  /** Entries were appended to the inbox of a client of this node; any node may lead its range. */
  void onLocalAppend(InboxHandle handle, List<InboxEntry> entries) {
    LiveSession session = sessionOf(handle.id());
    if (session != null) {
      pushes.push(session, handle, entries);
    }
  }

  /** The inbox of a client of this node was attached by another connection. */
  void onLocalFence(InboxHandle handle) {
    LiveSession session = sessionOf(handle.id());
    if (session != null) {
      dispatch.mailbox(session.eventLoop()).call(() -> session.onFenced(handle));
    }
  }

  /** Makes the sessions of this node refetch if their inboxes are in this span. */
  void onLocalLeadership(InboxSpan span) {
    registry.forEach(
        session -> {
          if (span.test(new InboxId(session.tenant(), session.clientId()))) {
            refetches.run(() -> refetch(session));
          }
        });
  }

  /** Makes the session of an inbox refetch, if it is connected here. */
  void refetchLocal(InboxId inbox) {
    LiveSession session = sessionOf(inbox);
    if (session != null) {
      refetches.run(() -> refetch(session));
    }
  }

  /** Returns null if the connection is ending; the next one then reads the inbox. */
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
                done.complete(null); // or its slot would never be freed
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
      ConnectOrder since,
      PublishId publishId) {
    PendingWill pending = new PendingWill(id, incarnation, epoch);
    if (!publishingWills.add(pending)) {
      return;
    }
    try {
      wills.publish(
          id.tenant(), will, since, publishId, outcome -> onWillPublished(pending, outcome));
    } catch (RuntimeException e) {
      publishingWills.remove(pending);
      LOG.error("Failed to publish a will, retrying client={}", id, e);
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

  private void onWillPublished(PendingWill pending, PublishOutcome outcome) {
    if (outcome == PublishOutcome.NOT_DURABLE || outcome.isRefusal()) {
      publishingWills.remove(pending); // the store repeats the event
      return;
    }
    if (outcome == PublishOutcome.QUOTA_EXCEEDED) {
      LOG.warn("A will did not reach all subscribers because of a limit client={}", pending);
    }
    StoreCalls.tryCall(() -> store.confirmWill(pending.id, pending.incarnation, pending.epoch))
        .whenComplete((ok, fault) -> publishingWills.remove(pending));
  }
}
