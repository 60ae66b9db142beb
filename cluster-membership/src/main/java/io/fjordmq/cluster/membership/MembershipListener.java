package io.fjordmq.cluster.membership;

import java.util.concurrent.CompletableFuture;

/**
 * Receives membership changes on one node. Calls are ordered and never concurrent; they must not
 * block. The membership waits for the returned futures.
 */
public interface MembershipListener {

  /**
   * Called when members have been added, removed or changed. The first call passes all existing
   * members.
   */
  default void onMembersChanged(Members members) {}

  /**
   * Brings everything up to date that a serving node needs; the future completes when that is done.
   * If it fails, it is called again after a pause. It is called twice for each incarnation: while
   * the node is STARTING, so that no node has to wait for one that is far behind, and once every
   * counted node counts this one, for everything written until then.
   */
  default CompletableFuture<Void> beforeAdmission(long incarnation) {
    return CompletableFuture.completedFuture(null);
  }

  /** Called when the node is admitted: it may serve clients while {@link Membership#isServing}. */
  default void onAdmitted(long incarnation) {}

  /**
   * Called when the lease has expired and another node has just reported that it serves clients:
   * this node's clients should reconnect there. Repeated about every heartbeat while both remain
   * true. The incarnation continues if the lease is renewed.
   */
  default void onLeaseExpired(long incarnation) {}

  /**
   * Called when the lease has been renewed, whether or not it had expired. The node serves clients
   * if it is admitted.
   */
  default void onLeaseRenewed(long incarnation) {}

  /**
   * Called when this incarnation has ended: everything it held for clients is lost or belongs to
   * other nodes. The future completes when this node has released it; then the next incarnation
   * begins.
   */
  default CompletableFuture<Void> onIncarnationEnded(long incarnation) {
    return CompletableFuture.completedFuture(null);
  }
}
