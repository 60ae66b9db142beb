package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.range.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Sends one driver's orders of one term, to this node and to others. Thread-safe. */
final class PlacementOrders {
  private final long term;
  private final NodeId self;
  private final Function<PlacementOrder, CompletableFuture<byte[]>> local;
  private final PeerCalls peers;
  private final Timers timers;
  private final AtomicLong lastNumber = new AtomicLong();

  /**
   * @param local does what is to be done on this node
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
   * Completes with the node's answer, or fails with why there is none, within the timeout. As far
   * as the driver goes, a node that throws is one that does not answer.
   */
  CompletableFuture<byte[]> send(NodeId node, PlacementOrder.Task task, Duration timeout) {
    // Numbering and sending are one: what is sent later must not have the lower number.
    synchronized (this) {
      PlacementOrder order = new PlacementOrder(term, lastNumber.incrementAndGet(), task);
      try {
        return node.equals(self)
            ? inTime(local.apply(order), timeout)
            : peers.ask(node, PlacementAgent.NAME, order.encode(), timeout);
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }

  /** What this node has begun it may still end, as others may. */
  private CompletableFuture<byte[]> inTime(CompletableFuture<byte[]> answer, Duration timeout) {
    if (answer.isDone()) {
      return answer;
    }
    CompletableFuture<byte[]> limited = answer.copy();
    String late = "this node has not done it in " + timeout.toMillis() + " ms";
    timers.schedule(
        timeout.toMillis(),
        () -> limited.completeExceptionally(new PeerException(PeerException.Kind.NO_ANSWER, late)));
    return limited;
  }
}
