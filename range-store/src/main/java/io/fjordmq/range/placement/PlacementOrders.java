package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** Sends one driver's orders of one term, to this node and to others. Thread-safe. */
final class PlacementOrders {
  private final long term;
  private final NodeId self;
  private final PlacementAgent local;
  private final PeerCalls peers;
  private final AtomicLong lastNumber = new AtomicLong();

  PlacementOrders(long term, NodeId self, PlacementAgent local, PeerCalls peers) {
    this.term = term;
    this.self = self;
    this.local = local;
    this.peers = peers;
  }

  long term() {
    return term;
  }

  /** Completes with the node's answer, or fails with why there is none. */
  CompletableFuture<byte[]> send(NodeId node, PlacementOrder.Task task, Duration timeout) {
    // Numbering and sending are one: what is sent later must not have the lower number.
    synchronized (this) {
      PlacementOrder order = new PlacementOrder(term, lastNumber.incrementAndGet(), task);
      return node.equals(self)
          ? locally(order)
          : peers.ask(node, PlacementAgent.NAME, order.encode(), timeout);
    }
  }

  /** As far as the driver goes, a node that throws is one that does not answer. */
  private CompletableFuture<byte[]> locally(PlacementOrder order) {
    try {
      return local.perform(order);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
