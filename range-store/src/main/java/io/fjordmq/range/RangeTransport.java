package io.fjordmq.range;

import io.fjordmq.cluster.NodeId;
import java.util.function.Consumer;

/**
 * Carries one attempt of a client to a replica. Returns at once; the reply may be called on the
 * caller's stack, on another thread, or never (a lost message): clients have deadlines.
 */
public interface RangeTransport {

  /**
   * Sends an encoded {@link RangeEntry}.
   *
   * @param entry owned by the transport from now on
   */
  void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply);

  /**
   * Sends a query.
   *
   * @param epochVersion by which the sender routed
   * @param leastIndex the answer must contain everything applied up to it
   */
  void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long leastIndex,
      byte[] query,
      Consumer<RangeResult> reply);
}
