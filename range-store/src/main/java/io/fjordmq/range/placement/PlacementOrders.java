package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.range.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Sends a driver's orders of one term, to this node and to others. Thread-safe. */
final class PlacementOrders {
  private final long term;
  private final NodeId self;
  private final Function<PlacementOrder, CompletableFuture<byte[]>> local;
  private final PeerCalls peers;
  private final Timers timers;
  private final AtomicLong lastNumber = new AtomicLong();

  /**
   * @param local carries out orders on this node
   */
  PlacementOrders(
      long term,
      NodeId self,
      Function<PlacementOrder, CompletableFuture<byte[]>> local,
      PeerCalls peers,
      Timers timers) {
    this.term = term;
    this.self = self;
    this.local = local;
    this.peers = peers;
    this.timers = timers;
  }

  long term() {
    return term;
  }

  /**
   * Completes with the node's answer, or fails with the reason within the timeout. A node that
   * throws counts as one that does not answer.
   */
  CompletableFuture<byte[]> send(NodeId node, PlacementOrder.Task task, Duration timeout) {
    // Numbering and sending are atomic: a later order must not have the lower number.
    synchronized (this) {
      PlacementOrder order = new PlacementOrder(term, lastNumber.incrementAndGet(), task);
      try {
        return node.equals(self)
            ? withTimeout(local.apply(order), timeout)
            : peers.ask(node, PlacementAgent.NAME, order.encode(), timeout);
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }

  /** As with other nodes, an order may still be carried out after its timeout. */
  private CompletableFuture<byte[]> withTimeout(
      CompletableFuture<byte[]> answer, Duration timeout) {
    if (answer.isDone()) {
      return answer;
    }
    CompletableFuture<byte[]> limited = answer.copy();
    String late = "this node did not answer within " + timeout.toMillis() + " ms";
    timers.schedule(
        timeout.toMillis(),
        () -> limited.completeExceptionally(new PeerException(PeerException.Kind.NO_ANSWER, late)));
    return limited;
  }
}
