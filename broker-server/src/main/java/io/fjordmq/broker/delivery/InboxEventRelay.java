package io.fjordmq.broker.delivery;

import io.fjordmq.api.Will;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.PublishId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Relays events from the inbox replicas to delivery. While a node starts, the replicas report
 * events before the delivery components exist. Once {@link #forwardTo} has been called, the relay
 * forwards every event. Until then:
 *
 * <ul>
 *   <li>it holds the routes of ended sessions, up to {@link #MAX_HELD_ROUTES}, because the store
 *       does not repeat these events; any excess is counted as failed route removals, and the first
 *       PUBLISH that uses such a route removes it
 *   <li>it ignores wills and undelivered messages of shares, because the store repeats these events
 *   <li>it ignores entries, leadership and fencing, which only affect connected clients, of which
 *       there are none yet
 *   <li>it ignores expired sessions and dropped messages, which are only recorded for operators
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class InboxEventRelay implements InboxListener {
  /** The maximum number of routes of ended sessions that are held. */
  static final int MAX_HELD_ROUTES = 100_000;

  private record EndedSession(
      InboxId id, long incarnation, List<InboxSubscription> subscriptions) {}

  private final DeliveryObserver observer;
  private final List<EndedSession> ended = new ArrayList<>(); // guarded by this
  private int heldRoutes; // guarded by this
  private volatile @Nullable InboxListener listener;

  public InboxEventRelay(DeliveryObserver observer) {
    this.observer = observer;
  }

  /** Forwards the events held so far on the calling thread, and forwards all later events. */
  public void forwardTo(InboxListener listener) {
    List<EndedSession> held;
    synchronized (this) {
      this.listener = listener;
      held = List.copyOf(ended);
      ended.clear();
      heldRoutes = 0;
    }
    held.forEach(one -> listener.onSessionEnded(one.id, one.incarnation, one.subscriptions));
  }

  @Override
  public void onAppended(String ownerNode, InboxHandle handle, List<InboxEntry> entries) {
    InboxListener current = listener;
    if (current != null) {
      current.onAppended(ownerNode, handle, entries);
    }
  }

  @Override
  public void onAppendsComplete() {
    InboxListener current = listener;
    if (current != null) {
      current.onAppendsComplete();
    }
  }

  @Override
  public void onLeaderStart(InboxSpan span) {
    InboxListener current = listener;
    if (current != null) {
      current.onLeaderStart(span);
    }
  }

  @Override
  public void onFenced(String ownerNode, InboxHandle handle) {
    InboxListener current = listener;
    if (current != null) {
      current.onFenced(ownerNode, handle);
    }
  }

  @Override
  public void onWillDue(
      InboxId id,
      long incarnation,
      long epoch,
      Will will,
      ConnectOrder connectOrder,
      PublishId publishId) {
    InboxListener current = listener;
    if (current != null) {
      current.onWillDue(id, incarnation, epoch, will, connectOrder, publishId);
    }
  }

  @Override
  public void onSessionEnded(InboxId id, long incarnation, List<InboxSubscription> subscriptions) {
    InboxListener current = listener;
    if (current == null) {
      current = hold(new EndedSession(id, incarnation, subscriptions));
    }
    if (current != null) {
      current.onSessionEnded(id, incarnation, subscriptions);
    }
  }

  /**
   * Holds the event unless the listener has been set in the meantime; in that case, returns the
   * listener.
   */
  private synchronized @Nullable InboxListener hold(EndedSession session) {
    if (listener == null) {
      int routes = session.subscriptions.size();
      if (heldRoutes + routes <= MAX_HELD_ROUTES) {
        heldRoutes += routes;
        ended.add(session);
      } else {
        session.subscriptions.forEach(lost -> observer.onRouteFailed());
      }
    }
    return listener;
  }

  @Override
  public void onSessionExpired(InboxId id) {
    InboxListener current = listener;
    if (current != null) {
      current.onSessionExpired(id);
    }
  }

  @Override
  public void onDropped(InboxId id, String reason, long count) {
    InboxListener current = listener;
    if (current != null) {
      current.onDropped(id, reason, count);
    }
  }

  @Override
  public void onUndeliveredShareMessages(InboxId id, long incarnation) {
    InboxListener current = listener;
    if (current != null) {
      current.onUndeliveredShareMessages(id, incarnation);
    }
  }
}
