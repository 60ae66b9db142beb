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
   * If the future fails, this method is called again after a pause. It is called twice for each
   * incarnation: while the node is STARTING, so that no other node has to wait for a node that is
   * far behind, and once every counted node counts this one, to catch up with everything written
   * until then.
   */
  default CompletableFuture<Void> beforeAdmission(long incarnation) {
    return CompletableFuture.completedFuture(null);
  }

  /** Called when the node is admitted: it may serve clients while {@link Membership#isServing}. */
  default void onAdmitted(long incarnation) {}

  /**
   * Called when the lease has expired and another node has just reported that it serves clients, so
   * that this node's clients should reconnect to that one. Repeated about every heartbeat while
   * both remain true. The incarnation continues if the lease is renewed.
   */
  default void onLeaseExpired(long incarnation) {}

  /**
   * Called when the lease has been renewed, whether or not it had expired. The node serves clients
   * if it is admitted.
   */
  default void onLeaseRenewed(long incarnation) {}

  /**
   * Called when this incarnation has ended, and everything it held for clients is lost or belongs
   * to other nodes. The future completes when this node has released its state; then the next
   * incarnation begins.
   */
  default CompletableFuture<Void> onIncarnationEnded(long incarnation) {
    return CompletableFuture.completedFuture(null);
  }
}
