package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.function.Consumer;

/** A defect for simulations to find: reports a batch as applied as soon as it is sent. */
public final class EarlyReplyTransport extends SimTransport {
  private final byte[] response;

  /**
   * @param response response to each command
   */
  public EarlyReplyTransport(SimCluster cluster, NodeId client, byte[] response) {
    super(cluster, client);
    this.response = response;
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    if (!(RangeEntry.decode(ByteBuffer.wrap(entry)) instanceof RangeEntry.Mutations batch)) {
      super.propose(node, range, entry, reply);
      return;
    }
    super.propose(node, range, entry, ignored -> {});
    int commands = batch.commands().size();
    reply.accept(new RangeResult.Applied(0, Collections.nCopies(commands, response)));
  }
}
