package io.fjordmq.broker;

import org.jspecify.annotations.Nullable;

/**
 * Suspends a node whose route replica is halted, too far behind, or about to be replaced by an
 * empty one. Such a node does not answer the route barrier, so every SUBSCRIBE in the cluster waits
 * for it and fails. The suspension ends its incarnation; the next one is STARTING, which no other
 * node waits for, until it has caught up with its routes. A STARTING node holds replicas, so the
 * broken one can be rebuilt (decision 0042). Not thread-safe; does not block.
 */
public final class RouteTrouble {
  static final long PATIENCE_MILLIS = 10_000;
  static final long REST_MILLIS = 5_000;

  private static final long NEVER = Long.MIN_VALUE;

  /** The node and its cluster. */
  public interface Node {
    /** Why a route replica is halted; null if none is. */
    @Nullable String halted();

    /** Why a route replica is to be replaced once this node is suspended; null if none is. */
    @Nullable String replaced();

    /** Why SUBSCRIBEs of other nodes are about to fail because of this one; null if none is. */
    @Nullable String behind();

    /** Whether the other nodes wait for this one. */
    boolean isCounted();

    /** Whether another node is up and can serve clients. */
    boolean othersServe();

    void suspend(String why);

    void resume();
  }

  private final Node node;
  private final long patienceMillis;
  private final long suspensionMillis;
  private long haltedSince = NEVER;
  private long suspendedSince = NEVER;

  RouteTrouble(Node node) {
    this(node, PATIENCE_MILLIS, REST_MILLIS);
  }

  /**
   * @param patienceMillis how long a replica may be halted before the node is suspended
   * @param suspensionMillis the longest suspension
   */
  public RouteTrouble(Node node, long patienceMillis, long suspensionMillis) {
    this.node = node;
    this.patienceMillis = patienceMillis;
    this.suspensionMillis = suspensionMillis;
  }

  /** Called about once a second, with the time of a monotonic clock. */
  public void check(long nowMillis) {
    String halted = node.halted();
    String behind = node.behind();
    String replaced = node.replaced();
    boolean atOnce = behind != null || replaced != null;
    String why = replaced != null ? replaced : halted != null ? halted : behind;
    if (suspendedSince != NEVER) {
      if (why == null || nowMillis - suspendedSince >= suspensionMillis) {
        suspendedSince = NEVER;
        haltedSince = NEVER;
        node.resume();
      }
    } else if (why == null || !node.isCounted() || (replaced == null && !node.othersServe())) {
      haltedSince = NEVER;
    } else if (haltedSince == NEVER && !atOnce) {
      haltedSince = nowMillis;
    } else if (atOnce || nowMillis - haltedSince >= patienceMillis) {
      suspendedSince = nowMillis;
      node.suspend(why);
    }
  }
}
