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
   * A life of this node has been registered and every living node counts it. Before it is admitted
   * the listener brings up to date what must be: the future completes when that is done. If it
   * fails it is asked again after a pause.
   */
  default CompletableFuture<Void> beforeAdmission(long incarnation) {
    return CompletableFuture.completedFuture(null);
  }

  /** The node may serve clients from now on, as long as {@link Membership#isServing}. */
  default void admitted(long incarnation) {}

  /**
   * The lease has run out and was not renewed for a while: other nodes may serve, this one does
   * not, and its clients should not wait for it. The life may go on if it is renewed later.
   */
  default void lapsed(long incarnation) {}

  /**
   * The cluster counts this life as over: whatever it held for clients is lost or belongs to
   * others. Completes when it is given up; then the next life begins.
   */
  default CompletableFuture<Void> lifeEnded(long incarnation) {
    return CompletableFuture.completedFuture(null);
  }
}
