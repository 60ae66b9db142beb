package io.fjordmq.range.remote;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import java.util.concurrent.CompletableFuture;

/** Serves requests of other nodes to the replicas of this node. Thread-safe and non-blocking. */
public final class RangeService implements PeerServices.Handler {
  /** Name of the service in calls between nodes. */
  public static final String NAME = "range";

  private final NodeId self;
  private final RangeTransport local;

  private RangeService(NodeId self, RangeTransport local) {
    this.self = self;
    this.local = local;
  }

  /**
   * Starts to serve requests.
   *
   * @param local the open replicas of this node, which check the entries of other nodes
   */
  public static void serve(NodeId self, RangeTransport local, PeerServices services) {
    services.serve(NAME, new RangeService(self, local));
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    CompletableFuture<RangeResult> result = new CompletableFuture<>();
    try {
      RangeCall call = RangeCall.decode(request);
      if (call instanceof RangeCall.Propose propose) {
        local.propose(self, propose.range(), propose.entry(), result::complete);
      } else if (call instanceof RangeCall.Query query) {
        local.query(
            self,
            query.range(),
            query.epochVersion(),
            query.minIndex(),
            query.query(),
            result::complete);
      }
    } catch (MalformedBytesException e) {
      // Version mismatch: the client tries other replicas until this node is upgraded.
      result.complete(
          new RangeResult.Unavailable("node " + self + " cannot decode the request: " + e));
    }
    return result.thenApply(RangeResultCodec::encode);
  }
}
