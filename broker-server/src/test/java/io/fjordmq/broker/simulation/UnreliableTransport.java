package io.fjordmq.broker.simulation;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import java.util.function.Consumer;

/** A transport to the ranges that delays, loses and duplicates requests and replies. */
final class UnreliableTransport implements RangeTransport {
  /**
   * The fault rates.
   *
   * @param lossPercent of requests and of replies
   * @param doublePercent of requests
   * @param maxDelayMillis each way
   */
  record Faults(double lossPercent, double doublePercent, long maxDelayMillis) {
    static final Faults NONE = new Faults(0, 0, 0);
  }

  private final SimProcess process;
  private final RangeTransport ranges;
  private Faults faults = Faults.NONE;

  UnreliableTransport(SimProcess process, RangeTransport ranges) {
    this.process = process;
    this.ranges = ranges;
  }

  void setFaults(Faults faults) {
    this.faults = faults;
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    pass(() -> ranges.propose(node, range, entry.clone(), late(reply)));
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long minIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    pass(() -> ranges.query(node, range, epochVersion, minIndex, query, late(reply)));
  }

  private Consumer<RangeResult> late(Consumer<RangeResult> reply) {
    return result -> passOnce(() -> reply.accept(result));
  }

  private void pass(Runnable request) {
    passOnce(request);
    if (process.simulation().chance(faults.doublePercent)) {
      passOnce(request);
    }
  }

  private void passOnce(Runnable message) {
    if (!process.simulation().chance(faults.lossPercent)) {
      process.schedule(process.simulation().between(0, faults.maxDelayMillis), message);
    }
  }
}
