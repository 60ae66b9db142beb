package io.fjordmq.cluster.membership;

import java.util.concurrent.CompletableFuture;

/**
 * Follows the cluster from one node. Called in order, by one thread at a time; must not block.
 * Futures that are asked for are awaited by the membership.
 */
public interface MembershipListener {

  /** Nodes came, went or changed. The first call brings all there are. */
  default void changed(Members members) {}

  /**
   * The listener brings up to date what a serving node needs: the future completes when that is
   * done. If it fails it is asked again after a pause. Each life asks twice: while it is STARTING,
   * so that nobody has to wait for a node that is far behind, and once every counted node counts
   * it, for what was written until then.
   */
  default CompletableFuture<Void> beforeAdmission(long incarnation) {
    return CompletableFuture.completedFuture(null);
  }

  /** The node may serve clients from now on, as long as {@link Membership#isServing}. */
  default void admitted(long incarnation) {}

  /**
   * The lease has expired, and another node has just said that it serves clients: this node's
   * clients are better off there. Called again about every heartbeat for as long as both are so.
   * The life goes on if the lease is renewed.
   */
  default void lapsed(long incarnation) {}

  /**
   * The lease has been renewed, whether or not it had expired before: the node serves if it is
   * admitted.
   */
  default void renewed(long incarnation) {}

  /**
   * The cluster counts this life as over: whatever it held for clients is lost or belongs to
   * others. Completes when it is given up; then the next life begins.
   */
  default CompletableFuture<Void> lifeEnded(long incarnation) {
    return CompletableFuture.completedFuture(null);
  }
}
