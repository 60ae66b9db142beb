package io.fjordmq.range.remote;

import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * Sends attempts to the replicas of this node and of other nodes. Never retries. Thread-safe.
 *
 * <p>A batch that was sent but not answered may have been applied. Its outcome is unknown until the
 * client resends it under the same number.
 */
public final class PeerRangeTransport implements RangeTransport {
  private final NodeId self;
  private final RangeTransport local;
  private final PeerCalls peers;
  private final Duration timeout;

  /**
   * @param local the replicas of this node
   * @param timeout timeout for calls to other nodes; should equal the clients' attempt timeout
   */
  public PeerRangeTransport(NodeId self, RangeTransport local, PeerCalls peers, Duration timeout) {
    this.self = self;
    this.local = local;
    this.peers = peers;
    this.timeout = timeout;
  }

  @Override
  public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
    if (node.equals(self)) {
      local.propose(node, range, entry, reply);
      return;
    }
    ask(node, new RangeCall.Propose(range, entry))
        .whenComplete(
            (answer, failure) -> reply.accept(failure == null ? answer : unproposed(failure)));
  }

  @Override
  public void query(
      NodeId node,
      RangeId range,
      long epochVersion,
      long leastIndex,
      byte[] query,
      Consumer<RangeResult> reply) {
    if (node.equals(self)) {
      local.query(node, range, epochVersion, leastIndex, query, reply);
      return;
    }
    ask(node, new RangeCall.Query(range, epochVersion, leastIndex, query))
        .whenComplete(
            (answer, failure) -> reply.accept(failure == null ? answer : unanswered(failure)));
  }

  private CompletableFuture<RangeResult> ask(NodeId node, RangeCall call) {
    return peers
        .ask(node, RangeService.NAME, RangeCall.encode(call), timeout)
        .thenApply(RangeResultCodec::decode);
  }

  private static RangeResult unproposed(Throwable failure) {
    Throwable cause = cause(failure);
    boolean maybeHandled =
        cause instanceof MalformedBytesException
            || (cause instanceof PeerException why && why.kind() == PeerException.Kind.NO_ANSWER);
    return maybeHandled ? new RangeResult.OutcomeUnknown(reason(cause)) : unanswered(cause);
  }

  /** A query changes nothing, so it does not matter whether it was handled. */
  private static RangeResult unanswered(Throwable failure) {
    return new RangeResult.Unavailable(reason(cause(failure)));
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private static String reason(Throwable cause) {
    return cause instanceof PeerException ? String.valueOf(cause.getMessage()) : cause.toString();
  }
}
