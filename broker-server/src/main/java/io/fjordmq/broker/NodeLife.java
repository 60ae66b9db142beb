package io.fjordmq.broker;

import io.fjordmq.broker.delivery.LocalSubscriptions;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.membership.MembershipListener;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the lives of a node mean for its clients (decision 0022). */
public final class NodeLife implements MembershipListener {
  private static final Logger LOG = LoggerFactory.getLogger(NodeLife.class);

  private final Sessions sessions;
  private final LocalSubscriptions live;
  private final Supplier<CompletableFuture<?>> catchUpWithRoutes;

  /**
   * @param catchUpWithRoutes completes when this node has applied every route that was committed
   *     when it was called: a read index on all ranges of routes
   */
  public NodeLife(
      Sessions sessions,
      LocalSubscriptions live,
      Supplier<CompletableFuture<?>> catchUpWithRoutes) {
    this.sessions = sessions;
    this.live = live;
    this.catchUpWithRoutes = catchUpWithRoutes;
  }

  /** All living nodes make their new routes wait for this one from here on; the older it reads. */
  @Override
  public CompletableFuture<Void> beforeAdmission(long incarnation) {
    return catchUpWithRoutes.get().thenRun(() -> {});
  }

  /** Elsewhere they are served; here they would wait, and not know for what. */
  @Override
  public void lapsed(long incarnation) {
    LOG.warn(
        "this node cannot serve its clients: {} session(s) are sent to other nodes",
        sessions.size());
    sessions.sendElsewhere();
  }

  @Override
  public CompletableFuture<Void> lifeEnded(long incarnation) {
    LOG.warn(
        "life {} of this node is over: the cluster counts it as down. {} session(s) are ended",
        incarnation,
        sessions.size());
    return sessions.endLife().thenRun(live::endLife);
  }
}
