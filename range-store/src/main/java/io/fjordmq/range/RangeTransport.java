package io.fjordmq.range;

import io.fjordmq.cluster.NodeId;
import java.util.function.Consumer;

/**
 * Sends the requests of range clients to replicas; each call is one attempt. Methods return
 * immediately. The reply callback may run on the caller's stack, on another thread, or never (a
 * lost message), so clients use deadlines.
 */
public interface RangeTransport {

  /**
   * Sends an encoded {@link RangeEntry}.
   *
   * @param entry owned by the transport from this call on
   */
  void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply);

  /**
   * Sends a query.
   *
   * @param epochVersion epoch version that the client routed by
   * @param minIndex the replica must have applied the log up to this index
   */
  void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long minIndex,
      byte[] query,
      Consumer<RangeResult> reply);
}
