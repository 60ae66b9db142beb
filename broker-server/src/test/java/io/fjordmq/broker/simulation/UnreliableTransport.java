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
   * @param duplicatePercent of requests
   * @param maxDelayMillis each way
   */
  record Faults(double lossPercent, double duplicatePercent, long maxDelayMillis) {
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
    sendMaybeTwice(() -> ranges.propose(node, range, entry.clone(), unreliable(reply)));
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long minIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    sendMaybeTwice(
        () -> ranges.query(node, range, epochVersion, minIndex, query, unreliable(reply)));
  }

  private Consumer<RangeResult> unreliable(Consumer<RangeResult> reply) {
    return result -> sendOnce(() -> reply.accept(result));
  }

  private void sendMaybeTwice(Runnable request) {
    sendOnce(request);
    if (process.simulation().chance(faults.duplicatePercent)) {
      sendOnce(request);
    }
  }

  private void sendOnce(Runnable message) {
    if (!process.simulation().chance(faults.lossPercent)) {
      process.schedule(process.simulation().between(0, faults.maxDelayMillis), message);
    }
  }
}
