package io.fjordmq.broker;

import org.jspecify.annotations.Nullable;

/**
 * Ends the incarnation of a node whose replica of routes is halted, or too far behind. Such a node
 * does not answer the route barrier, so every SUBSCRIBE in the cluster waits for it and fails. The
 * node suspends itself briefly, then is STARTING, which no other node waits for, until it has
 * caught up with its routes. A STARTING node holds replicas, so the halted one can be rebuilt
 * (decision 0042). For one thread; does not block.
 */
final class RouteTrouble {
  static final long PATIENCE_MILLIS = 10_000;
  static final long REST_MILLIS = 5_000;

  private static final long NEVER = Long.MIN_VALUE;

  /** What this needs of the node and its cluster. */
  interface Node {
    /** Why a replica of routes is halted; null if none is. */
    @Nullable String halted();

    /** Why SUBSCRIBEs of other nodes are about to fail because of this one; null if none is. */
    @Nullable String behind();

    /** Whether the others wait for this node. */
    boolean isCounted();

    /** Whether another node is up, which can serve clients. */
    boolean othersServe();

    void rest(String why);

    void resume();
  }

  private final Node node;
  private long haltedSince = NEVER;
  private long restingSince = NEVER;

  RouteTrouble(Node node) {
    this.node = node;
  }

  /** To be called about once a second, with a monotonic clock. */
  void look(long nowMillis) {
    String halted = node.halted();
    String behind = node.behind();
    String why = halted == null ? behind : halted;
    if (restingSince != NEVER) {
      if (why == null || nowMillis - restingSince >= REST_MILLIS) {
        restingSince = NEVER;
        haltedSince = NEVER;
        node.resume();
      }
    } else if (why == null || !node.isCounted() || !node.othersServe()) {
      haltedSince = NEVER;
    } else if (haltedSince == NEVER && behind == null) {
      haltedSince = nowMillis;
    } else if (behind != null || nowMillis - haltedSince >= PATIENCE_MILLIS) {
      restingSince = nowMillis;
      node.rest(why);
    }
  }
}
