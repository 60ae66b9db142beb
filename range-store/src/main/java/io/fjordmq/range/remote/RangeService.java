package io.fjordmq.range.remote;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import java.util.concurrent.CompletableFuture;

/** Lets other nodes' clients reach the replicas of this node. Thread-safe; does not block. */
public final class RangeService implements PeerServices.Handler {
  /** What the service is called between nodes. */
  public static final String NAME = "range";

  private final NodeId self;
  private final RangeTransport local;

  private RangeService(NodeId self, RangeTransport local) {
    this.self = self;
    this.local = local;
  }

  /**
   * Answers from now on.
   *
   * @param local the replicas of this node, open
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
            query.leastIndex(),
            query.query(),
            result::complete);
      }
    } catch (MalformedBytesException e) {
      // Another version: its client tries elsewhere, until that node is as new.
      result.complete(new RangeResult.Unavailable(self + " cannot read the request: " + e));
    }
    return result.thenApply(RangeResultCodec::encode);
  }
}
