package io.fjordmq.broker.cluster;

import org.jspecify.annotations.Nullable;

/**
 * Suspends a node whose route replica is halted, too far behind, or about to be replaced by an
 * empty one. Such a node does not respond to the route barrier, so every SUBSCRIBE in the cluster
 * waits for the node and fails. Suspension ends the node's incarnation. The next incarnation is
 * STARTING until it has caught up with its routes, and other nodes do not wait for a STARTING node.
 * A STARTING node does hold replicas, so the broken replica can be rebuilt (decision 0042). Not
 * thread-safe; does not block.
 */
public final class RouteHealthMonitor {
  static final long SUSPEND_AFTER_MILLIS = 10_000;
  static final long SUSPENSION_MILLIS = 5_000;

  private static final long NEVER = Long.MIN_VALUE;

  /** The node that is monitored, and its view of the cluster. */
  public interface Node {
    /** The reason why a route replica is halted; null if none is. */
    @Nullable String haltedReason();

    /** The reason why a route replica will be replaced once this node is suspended, or null. */
    @Nullable String replacementReason();

    /** The reason why SUBSCRIBEs on other nodes are about to fail because of this node, or null. */
    @Nullable String overdueReason();

    /** Whether other nodes wait for this node before they acknowledge a SUBSCRIBE. */
    boolean isCounted();

    /** Whether another node is up and can serve clients. */
    boolean othersServe();

    void suspend(String reason);

    void resume();
  }

  private final Node node;
  private final long suspendAfterMillis;
  private final long suspensionMillis;
  private long haltedSince = NEVER;
  private long suspendedSince = NEVER;

  RouteHealthMonitor(Node node) {
    this(node, SUSPEND_AFTER_MILLIS, SUSPENSION_MILLIS);
  }

  /**
   * @param suspendAfterMillis how long a replica may be halted before the node is suspended
   * @param suspensionMillis the maximum duration of a suspension
   */
  public RouteHealthMonitor(Node node, long suspendAfterMillis, long suspensionMillis) {
    this.node = node;
    this.suspendAfterMillis = suspendAfterMillis;
    this.suspensionMillis = suspensionMillis;
  }

  /** Checks the node; called about once a second with the time of a monotonic clock. */
  public void check(long nowMillis) {
    String halted = node.haltedReason();
    String behind = node.overdueReason();
    String replaced = node.replacementReason();
    boolean atOnce = behind != null || replaced != null;
    String reason = replaced != null ? replaced : halted != null ? halted : behind;
    if (suspendedSince != NEVER) {
      if (reason == null || nowMillis - suspendedSince >= suspensionMillis) {
        suspendedSince = NEVER;
        haltedSince = NEVER;
        node.resume();
      }
    } else if (reason == null || !node.isCounted() || (replaced == null && !node.othersServe())) {
      haltedSince = NEVER;
    } else if (haltedSince == NEVER && !atOnce) {
      haltedSince = nowMillis;
    } else if (atOnce || nowMillis - haltedSince >= suspendAfterMillis) {
      suspendedSince = nowMillis;
      node.suspend(reason);
    }
  }
}
