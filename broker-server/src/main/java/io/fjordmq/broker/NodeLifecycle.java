package io.fjordmq.broker;

import io.fjordmq.broker.delivery.LocalSubscriptions;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.membership.MembershipListener;
import io.fjordmq.range.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the lives of a node mean for its clients (decision 0022). */
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
   * @param clientsPerSecond sent to other nodes while this one has no valid lease
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

  /** All living nodes make their new routes wait for this one from here on; the older it reads. */
  @Override
  public CompletableFuture<Void> beforeAdmission(long incarnation) {
    return catchUpWithRoutes.get().thenRun(() -> {});
  }

  /** Another node serves them; here they would wait for an unknown time. */
  @Override
  public void lapsed(long incarnation) {
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
  public void renewed(long incarnation) {
    sentAwayMillis = -1;
    sessions.serveAgain();
  }

  @Override
  public CompletableFuture<Void> lifeEnded(long incarnation) {
    sentAwayMillis = -1;
    LOG.warn(
        "The cluster marked this node DOWN; ending its sessions incarnation={} " + "sessions={}",
        incarnation,
        sessions.size());
    return sessions.endLife().thenRun(live::endLife);
  }
}
