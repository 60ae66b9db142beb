package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.SeedSource;
import io.fjordmq.cluster.SupportedLevels;

/**
 * Which cluster a node joins, and how.
 *
 * @param creation whether the node creates its cluster
 * @param env the name of the cluster; a node does not join a cluster with another name
 * @param address the address at which other nodes reach this node's cluster port
 * @param seeds addresses of cluster ports; may include that of this node
 * @param settings timing
 * @param levels the cluster levels that this node supports
 */
public record JoinOptions(
    Creation creation,
    String env,
    NodeAddress address,
    SeedSource seeds,
    JoinSettings settings,
    SupportedLevels levels) {

  /** Whether a node without cluster metadata creates the cluster. */
  public enum Creation {
    /** The node joins the cluster of its seeds. */
    NONE,
    /** The node creates the cluster unless a seed belongs to one. */
    BOOTSTRAP,
    /**
     * The node has founded its cluster and has to create it; see {@link
     * io.fjordmq.cluster.forming.FormingFile#isFounder}.
     */
    FOUNDER
  }

  boolean bootstrap() {
    return creation == Creation.BOOTSTRAP;
  }
}
