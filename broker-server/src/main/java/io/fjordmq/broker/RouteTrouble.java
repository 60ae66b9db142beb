package io.fjordmq.broker;

import org.jspecify.annotations.Nullable;

/**
 * Ends the incarnation of a node whose replica of routes is halted, too far behind, or to be
 * replaced by an empty one. Such a node does not answer the route barrier, so every SUBSCRIBE in
 * the cluster waits for it and fails. The node suspends itself briefly, then is STARTING, which no
 * other node waits for, until it has caught up with its routes. A STARTING node holds replicas, so
 * the broken one can be rebuilt (decision 0042). For one thread; does not block.
 */
public final class RouteTrouble {
  static final long PATIENCE_MILLIS = 10_000;
  static final long REST_MILLIS = 5_000;

  private static final long NEVER = Long.MIN_VALUE;

  /** What this needs of the node and its cluster. */
  public interface Node {
    /** Why a replica of routes is halted; null if none is. */
    @Nullable String halted();

    /** Why an empty replica of routes waits for this node to rest; null if none does. */
    @Nullable String replaced();

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
  private final long patienceMillis;
  private final long restMillis;
  private long haltedSince = NEVER;
  private long restingSince = NEVER;

  RouteTrouble(Node node) {
    this(node, PATIENCE_MILLIS, REST_MILLIS);
  }

  /**
   * @param patienceMillis after which a node ends its incarnation because of a halted replica
   * @param restMillis for which it is suspended at most
   */
  public RouteTrouble(Node node, long patienceMillis, long restMillis) {
    this.node = node;
    this.patienceMillis = patienceMillis;
    this.restMillis = restMillis;
  }

  /** To be called about once a second, with a monotonic clock. */
  public void look(long nowMillis) {
    String halted = node.halted();
    String behind = node.behind();
    String replaced = node.replaced();
    boolean atOnce = behind != null || replaced != null;
    String why = replaced != null ? replaced : halted != null ? halted : behind;
    if (restingSince != NEVER) {
      if (why == null || nowMillis - restingSince >= restMillis) {
        restingSince = NEVER;
        haltedSince = NEVER;
        node.resume();
      }
    } else if (why == null || !node.isCounted() || (replaced == null && !node.othersServe())) {
      haltedSince = NEVER;
    } else if (haltedSince == NEVER && !atOnce) {
      haltedSince = nowMillis;
    } else if (atOnce || nowMillis - haltedSince >= patienceMillis) {
      restingSince = nowMillis;
      node.rest(why);
    }
  }
}
