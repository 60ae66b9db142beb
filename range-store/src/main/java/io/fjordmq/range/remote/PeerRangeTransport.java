package io.fjordmq.range.remote;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Sends attempts to the replicas of other nodes. Never retries. Thread-safe.
 *
 * <p>A batch without a response may have been applied. Its outcome is unknown until the client
 * resends it under the same batch number.
 */
public final class PeerRangeTransport implements RangeTransport {
  private final PeerCalls peers;
  private final Duration timeout;

  /**
   * @param timeout timeout for calls to other nodes; should equal the clients' attempt timeout
   */
  public PeerRangeTransport(PeerCalls peers, Duration timeout) {
    this.peers = peers;
    this.timeout = timeout;
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    send(node, new RangeCall.Propose(range, entry))
        .whenComplete(
            (result, failure) -> reply.accept(failure == null ? result : proposalFailure(failure)));
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long minIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    send(node, new RangeCall.Query(range, epochVersion, minIndex, query))
        .whenComplete(
            (result, failure) ->
                reply.accept(failure == null ? result : unavailableResult(failure)));
  }

  private CompletableFuture<RangeResult> send(NodeId node, RangeCall call) {
    return peers
        .call(node, RangeService.NAME, RangeCall.encode(call), timeout)
        .thenApply(RangeResultCodec::decode);
  }

  private static RangeResult proposalFailure(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    boolean maybeHandled =
        cause instanceof MalformedBytesException
            || OperationException.isAny(cause, PeerException.Kind.NO_RESPONSE);
    return maybeHandled ? new RangeResult.OutcomeUnknown(reason(cause)) : unavailableResult(cause);
  }

  /**
   * Returns the result of a failed query. A query changes nothing, so the caller may safely send it
   * again.
   */
  private static RangeResult unavailableResult(Throwable failure) {
    return new RangeResult.Unavailable(reason(OperationException.unwrap(failure)));
  }

  private static String reason(Throwable cause) {
    return cause instanceof PeerException ? String.valueOf(cause.getMessage()) : cause.toString();
  }
}
