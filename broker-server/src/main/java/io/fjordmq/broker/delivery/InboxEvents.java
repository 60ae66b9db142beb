package io.fjordmq.broker.delivery;

import io.fjordmq.api.Will;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.PublishId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the inbox store tells the broker, brought to whom it concerns: entries and fencing to the
 * connected session, wills to the publisher, ended sessions to the router, drops to the metrics.
 *
 * <p>The store is built before those who publish with it; what it says before {@link #connect} is
 * said again (wills) or mended later (routes, by the first PUBLISH that follows them).
 */
public final class InboxEvents implements InboxListener {
  private static final Logger LOG = LoggerFactory.getLogger(InboxEvents.class);

  /** Sessions that read their inboxes at one time because a range has a leader again. */
  private static final int MAX_LOOKS = 256;

  private record Pending(InboxId id, long incarnation, long epoch) {}

  private record Connected(InboxStore store, WillService wills, InboxRoutes routes) {}

  private final LocalNode self;
  private final SessionRegistry registry;
  private final LiveDispatch dispatch;
  private final InboxPushes pushes;
  private final DeliveryObserver observer;
  private final BoundedCalls looks = new BoundedCalls(MAX_LOOKS);
  private final Sparingly unreachable = new Sparingly();

  /** Wills being published, so that the store's repetitions do not reach live sessions twice. */
  private final Set<Pending> publishing = ConcurrentHashMap.newKeySet();

  private volatile @Nullable Connected connected;

  public InboxEvents(
      LocalNode self,
      SessionRegistry registry,
      LiveDispatch dispatch,
      DeliverySettings settings,
      DeliveryObserver observer) {
    this.self = self;
    this.registry = registry;
    this.dispatch = dispatch;
    this.pushes = new InboxPushes(dispatch, settings);
    this.observer = observer;
  }

  /** Begins to publish wills and to remove routes. */
  public void connect(InboxStore store, WillService wills, InboxRoutes routes) {
    connected = new Connected(store, wills, routes);
  }

  @Override
  public void appended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {
    tell(ownerNode, handle, (session, its) -> pushes.push(session, its, entries));
  }

  /** A range that comes back finds many sessions here: they read a bounded number at a time. */
  @Override
  public void leading(Predicate<InboxId> concerned) {
    registry.forEach(
        session -> {
          if (concerned.test(new InboxId(session.tenant(), session.clientId()))) {
            looks.run(() -> lookAgain(session));
          }
        });
  }

  private static CompletableFuture<Void> lookAgain(LiveSession session) {
    CompletableFuture<Void> looked = new CompletableFuture<>();
    session
        .eventLoop()
        .execute(() -> session.lookAgain().whenComplete((read, failure) -> looked.complete(null)));
    return looked;
  }

  @Override
  public void fenced(String ownerNode, InboxHandle handle) {
    tell(
        ownerNode,
        handle,
        (session, its) -> dispatch.mailbox(session.eventLoop()).call(() -> session.fenced(its)));
  }

  @Override
  public void willDue(InboxId id, long incarnation, long epoch, Will will, PublishId publishId) {
    Connected parts = connected;
    Pending pending = new Pending(id, incarnation, epoch);
    if (parts == null || !publishing.add(pending)) {
      return;
    }
    try {
      parts.wills.publish(
          id.tenant(), will, publishId, outcome -> willPublished(parts, pending, outcome));
    } catch (RuntimeException e) {
      publishing.remove(pending);
      LOG.error("the will of client {} could not be published; it is tried again", id, e);
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
  public void dropped(InboxId id, String reason, long count) {
    observer.dropped(reason, count);
  }

  private void willPublished(Connected parts, Pending pending, PublishOutcome outcome) {
    if (outcome == PublishOutcome.NOT_DURABLE || outcome == PublishOutcome.NO_ROOM) {
      publishing.remove(pending); // the store says it again
      return;
    }
    if (outcome == PublishOutcome.QUOTA_EXCEEDED) {
      LOG.warn("the will of client {} did not reach everybody: a limit stands against it", pending);
    }
    Calls.guarded(() -> parts.store.willPublished(pending.id, pending.incarnation, pending.epoch))
        .whenComplete((ok, fault) -> publishing.remove(pending));
  }

  private void tell(
      String ownerNode, InboxHandle handle, BiConsumer<LiveSession, InboxHandle> event) {
    if (!ownerNode.equals(self.id())) {
      long times = unreachable.count();
      if (times > 0) {
        LOG.error(
            "the client of {} is on node {}, which this node cannot reach. {} event(s) so far",
            handle,
            ownerNode,
            times);
      }
      return;
    }
    LiveSession session = registry.find(handle.id().tenant(), handle.id().clientId());
    if (session != null) { // else its connection is ending, and the next one reads the inbox
      event.accept(session, handle);
    }
  }
}
