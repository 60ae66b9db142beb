package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A defect for simulations to find: gives every attempt a number of its own, so that the ranges
 * cannot recognise one that is repeated.
 */
public final class RenumberingTransport extends SimTransport {
  private long number;

  public RenumberingTransport(SimCluster cluster, NodeId client) {
    super(cluster, client);
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    if (entry[1] == 1) {
      ByteBuffer.wrap(entry).putLong(26, ++number);
    }
    super.propose(node, range, entry, reply);
  }
}
