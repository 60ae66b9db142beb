package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A defect for simulations to find: gives every attempt a new batch number, so that ranges cannot
 * recognize a repeated batch, and repeats the previous attempt after each.
 */
public final class RenumberingTransport extends SimTransport {
  // See io.fjordmq.range.RangeEntry.
  private static final int MUTATIONS = 8;
  private static final int NUMBER_OFFSET = 26;

  private final Map<RangeId, byte[]> previousEntries = new HashMap<>();
  private long number;

  public RenumberingTransport(SimCluster cluster, NodeId client) {
    super(cluster, client);
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    if (entry[1] != MUTATIONS) {
      super.propose(node, range, entry, reply);
      return;
    }
    super.propose(node, range, renumber(entry), reply);
    byte[] last = previousEntries.put(range, entry);
    if (last != null) {
      super.propose(node, range, renumber(last), ignored -> {});
    }
  }

  private byte[] renumber(byte[] entry) {
    byte[] copy = entry.clone();
    ByteBuffer.wrap(copy).putLong(NUMBER_OFFSET, ++number);
    return copy;
  }
}
