package io.fjordmq.broker.drain;

import io.fjordmq.broker.dispatch.LocalSubscriptions;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.membership.MembershipListener;
import io.fjordmq.common.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disconnects clients and ends sessions according to the state of the node's lease and incarnation
 * (decision 0022).
 */
public final class NodeLifecycle implements MembershipListener {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLifecycle.class);

  private final Sessions sessions;
  private final LocalSubscriptions live;
  private final Supplier<CompletableFuture<?>> catchUpWithRoutes;
  private final IntSupplier clientsPerSecond;
  private final Timers timers;

  /** Limits the rate of disconnects after the lease has expired. */
  private final DisconnectLimiter leaseExpiredRate;

  /** Limits the rate at which connections of an ended incarnation are closed. */
  private final DisconnectLimiter closeRate;

  private final AtomicBoolean isClosing = new AtomicBoolean();

  /**
   * @param clientsPerSecond supplies the number of clients disconnected per second, both while this
   *     node has no valid lease and another node serves clients, and after an incarnation has ended
   * @param catchUpWithRoutes returns a future that completes when this node has applied every route
   *     committed before the call (a read index on all route ranges)
   */
  public NodeLifecycle(
      Sessions sessions,
      LocalSubscriptions live,
      Supplier<CompletableFuture<?>> catchUpWithRoutes,
      IntSupplier clientsPerSecond,
      Timers timers) {
    this.sessions = sessions;
    this.live = live;
    this.catchUpWithRoutes = catchUpWithRoutes;
    this.clientsPerSecond = clientsPerSecond;
    this.timers = timers;
    this.leaseExpiredRate = new DisconnectLimiter(clientsPerSecond);
    this.closeRate = new DisconnectLimiter(clientsPerSecond);
  }

  /**
   * Catches up with the routes committed so far. Nodes that count this one wait for it before they
   * acknowledge later routes.
   */
  @Override
  public CompletableFuture<Void> beforeAdmission(long incarnation) {
    return catchUpWithRoutes.get().thenRun(() -> {});
  }

  /**
   * Disconnects clients so that they reconnect to another node. On this node, they would wait until
   * it renews its lease.
   */
  @Override
  public void onLeaseExpired(long incarnation) {
    if (leaseExpiredRate.begin(timers.nowMillis())) {
      LOG.warn(
          "Lease expired and another node serves clients; disconnecting clients so that they"
              + " reconnect there sessions={} perSecond={}",
          sessions.size(),
          clientsPerSecond.getAsInt());
    }
    int due = leaseExpiredRate.due(timers.nowMillis());
    if (due > 0) {
      sessions.disconnectWithoutLease(due);
    }
  }

  @Override
  public void onLeaseRenewed(long incarnation) {
    leaseExpiredRate.end();
    sessions.resumeServing();
  }

  /**
   * Ends all sessions immediately, so that the next incarnation can begin. Their connections are
   * closed one by one, which may continue during the next incarnation.
   */
  @Override
  public CompletableFuture<Void> onIncarnationEnded(long incarnation) {
    leaseExpiredRate.end();
    LOG.warn(
        "The cluster marked this node DOWN; ending its sessions and disconnecting clients"
            + " incarnation={} sessions={} perSecond={}",
        incarnation,
        sessions.size(),
        clientsPerSecond.getAsInt());
    CompletableFuture<Void> ended = sessions.endIncarnation(clientsPerSecond.getAsInt());
    beginClosing();
    return ended.thenRun(live::endIncarnation);
  }

  private void beginClosing() {
    if (sessions.hasHeldConnections() && isClosing.compareAndSet(false, true)) {
      closeRate.begin(timers.nowMillis());
      closeDue();
    }
  }

  /** Runs on the membership thread or a timer thread, one call at a time. */
  private void closeDue() {
    sessions.closeHeldConnections(closeRate.due(timers.nowMillis()));
    if (sessions.hasHeldConnections()) {
      timers.schedule(DisconnectLimiter.STEP_MILLIS, this::closeDue);
    } else {
      closeRate.end();
      isClosing.set(false);
      beginClosing(); // another incarnation may have ended in the meantime
    }
  }
}
