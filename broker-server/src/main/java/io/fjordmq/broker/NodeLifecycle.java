package io.fjordmq.broker;

import io.fjordmq.broker.delivery.LocalSubscriptions;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.membership.MembershipListener;
import io.fjordmq.range.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies the state of the node's lease and incarnation to its clients (decision 0022). */
public final class NodeLifecycle implements MembershipListener {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLifecycle.class);

  private static final long FIRST_STEP_MILLIS = 100;
  private static final long LONGEST_STEP_MILLIS = 1_000;

  private final Sessions sessions;
  private final LocalSubscriptions live;
  private final Supplier<CompletableFuture<?>> catchUpWithRoutes;
  private final int clientsPerSecond;
  private final Timers clock;

  /** When clients were last sent away while the lease was expired; negative if none were. */
  private long sentAwayMillis = -1;

  /**
   * @param clientsPerSecond how many clients are disconnected per second while this node has no
   *     valid lease and another one serves clients
   * @param catchUpWithRoutes completes when this node has applied every route that was committed
   *     when it was called: a read index on all ranges of routes
   */
  public NodeLifecycle(
      Sessions sessions,
      LocalSubscriptions live,
      Supplier<CompletableFuture<?>> catchUpWithRoutes,
      int clientsPerSecond,
      Timers clock) {
    this.sessions = sessions;
    this.live = live;
    this.catchUpWithRoutes = catchUpWithRoutes;
    this.clientsPerSecond = clientsPerSecond;
    this.clock = clock;
  }

  /** Reads the existing routes; from here on, all live nodes wait for this one with new routes. */
  @Override
  public CompletableFuture<Void> beforeAdmission(long incarnation) {
    return catchUpWithRoutes.get().thenRun(() -> {});
  }

  /** Disconnects clients, which another node can serve; here they would wait indefinitely. */
  @Override
  public void leaseExpired(long incarnation) {
    long now = clock.nowMillis();
    if (sentAwayMillis < 0) {
      LOG.warn(
          "Lease expired and another node serves clients; disconnecting clients so that "
              + "they reconnect there sessions={} perSecond={}",
          sessions.size(),
          clientsPerSecond);
      sentAwayMillis = now - FIRST_STEP_MILLIS;
    }
    long elapsed = Math.min(now - sentAwayMillis, LONGEST_STEP_MILLIS);
    int due = (int) (elapsed * clientsPerSecond / LONGEST_STEP_MILLIS);
    if (due > 0) {
      sentAwayMillis = now;
      sessions.sendElsewhere(due);
    }
  }

  @Override
  public void leaseRenewed(long incarnation) {
    sentAwayMillis = -1;
    sessions.resumeServing();
  }

  @Override
  public CompletableFuture<Void> incarnationEnded(long incarnation) {
    sentAwayMillis = -1;
    LOG.warn(
        "The cluster marked this node DOWN; ending its sessions incarnation={} " + "sessions={}",
        incarnation,
        sessions.size());
    return sessions.endIncarnation().thenRun(live::endIncarnation);
  }
}
