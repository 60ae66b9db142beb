package io.fjordmq.broker.delivery;

import io.fjordmq.api.Will;
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
 * What the inbox store tells the broker, brought to whom it concerns: entries and fencing to the
 * connected session, wills to the publisher, ended sessions to the router, and what they have left
 * to other members of their shares.
 *
 * <p>The store is built before those who publish with it; what it says before {@link #connect} is
 * said again (wills, messages left to shares) or mended later (routes, by the first PUBLISH that
 * follows them).
 */
public final class InboxEvents implements InboxListener {
  private static final Logger LOG = LoggerFactory.getLogger(InboxEvents.class);

  /** Sessions that read their inboxes at one time because a range has a leader again. */
  private static final int MAX_LOOKS = 256;

  private record Pending(InboxId id, long incarnation, long epoch) {}

  private record Connected(
      InboxStore store, WillService wills, InboxRoutes routes, LeftMessages left) {}

  private final LocalNode self;
  private final SessionRegistry registry;
  private final LiveDispatch dispatch;
  private final InboxPushes pushes;
  private final DeliveryObserver observer;
  private final NodeStreams nodes;
  private final BoundedCalls looks = new BoundedCalls(MAX_LOOKS);

  /** Wills being published, so that the store's repetitions do not reach live sessions twice. */
  private final Set<Pending> publishing = ConcurrentHashMap.newKeySet();

  private volatile @Nullable Connected connected;

  /**
   * @param nodes the ways to other nodes
   */
  public InboxEvents(
      LocalNode self,
      SessionRegistry registry,
      LiveDispatch dispatch,
      DeliverySettings settings,
      NodeStreams nodes,
      DeliveryObserver observer) {
    this.self = self;
    this.registry = registry;
    this.dispatch = dispatch;
    this.nodes = nodes;
    this.pushes = new InboxPushes(dispatch, settings);
    this.observer = observer;
  }

  /**
   * Begins to publish wills, to remove routes, and to give to shares what ended sessions have left.
   */
  public void connect(
      InboxStore store, WillService wills, InboxRoutes routes, PublishRouter publishRouter) {
    connected = new Connected(store, wills, routes, new LeftMessages(store, publishRouter));
  }

  @Override
  public void appended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {
    if (ownerNode.equals(self.id())) {
      appendedHere(handle, entries);
      return;
    }
    NodeStream stream = nodes.find(ownerNode);
    if (stream != null) { // else its life is over, and the sweeper detaches its inboxes
      stream.append(new NodeItem.Appended(handle, entries));
    }
  }

  /** A range that comes back finds many sessions: they read a bounded number at a time. */
  @Override
  public void leading(InboxSpan concerned) {
    ledHere(concerned);
    nodes.all().forEach(stream -> stream.notice(new NodeItem.InboxesLed(concerned.keys())));
  }

  @Override
  public void fenced(String ownerNode, InboxHandle handle) {
    if (ownerNode.equals(self.id())) {
      fencedHere(handle);
      return;
    }
    NodeStream stream = nodes.find(ownerNode);
    if (stream != null) {
      stream.notice(new NodeItem.Fenced(handle));
    }
  }

  /** Entries were appended to the inbox of a client of this node, wherever its range is led. */
  void appendedHere(InboxHandle handle, List<InboxEntry> entries) {
    LiveSession session = sessionOf(handle.id());
    if (session != null) {
      pushes.push(session, handle, entries);
    }
  }

  /** An inbox was taken from a client of this node. */
  void fencedHere(InboxHandle handle) {
    LiveSession session = sessionOf(handle.id());
    if (session != null) {
      dispatch.mailbox(session.eventLoop()).call(() -> session.fenced(handle));
    }
  }

  /** Sessions of this node whose inboxes are among these read them once. */
  void ledHere(InboxSpan concerned) {
    registry.forEach(
        session -> {
          if (concerned.test(new InboxId(session.tenant(), session.clientId()))) {
            looks.run(() -> refetch(session));
          }
        });
  }

  /** The session of one inbox reads it, if it is here. */
  void refetchLocal(InboxId inbox) {
    LiveSession session = sessionOf(inbox);
    if (session != null) {
      looks.run(() -> refetch(session));
    }
  }

  /** Null if its connection is ending; then the next one reads the inbox. */
  private @Nullable LiveSession sessionOf(InboxId inbox) {
    return registry.find(inbox.tenant(), inbox.clientId());
  }

  private static CompletableFuture<Void> refetch(LiveSession session) {
    CompletableFuture<Void> looked = new CompletableFuture<>();
    session
        .eventLoop()
        .execute(
            () -> {
              try {
                session.refetch().whenComplete((read, failure) -> looked.complete(null));
              } catch (RuntimeException | Error e) {
                looked.complete(null); // others wait for its place
                throw e;
              }
            });
    return looked;
  }

  @Override
  public void willDue(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder since,
      PublishId publishId) {
    Connected parts = connected;
    Pending pending = new Pending(id, incarnation, epoch);
    if (parts == null || !publishing.add(pending)) {
      return;
    }
    try {
      parts.wills.publish(
          id.tenant(), will, since, publishId, outcome -> willPublished(parts, pending, outcome));
    } catch (RuntimeException e) {
      publishing.remove(pending);
      LOG.error("Failed to publish a will, retrying client={}", id, e);
    }
  }

  @Override
  public void ended(InboxId id, long incarnation, List<InboxSubscription> subscriptions) {
    Connected parts = connected;
    if (parts != null) {
      parts
          .routes
          .removeAll(id, incarnation, subscriptions)
          .whenComplete(
              (ok, fault) -> {
                if (fault != null) {
                  observer.routeFailed();
                }
              });
    }
  }

  @Override
  public void leftToShares(InboxId id, long incarnation) {
    Connected parts = connected;
    if (parts != null) {
      parts.left.give(id, incarnation);
    }
  }

  private void willPublished(Connected parts, Pending pending, PublishOutcome outcome) {
    if (outcome == PublishOutcome.NOT_DURABLE || outcome.isRefusal()) {
      publishing.remove(pending); // the store says it again
      return;
    }
    if (outcome == PublishOutcome.QUOTA_EXCEEDED) {
      LOG.warn("A will did not reach all subscribers because of a limit client={}", pending);
    }
    StoreCalls.guarded(
            () -> parts.store.willPublished(pending.id, pending.incarnation, pending.epoch))
        .whenComplete((ok, fault) -> publishing.remove(pending));
  }
}
