package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends a driver's orders of one term, to this node and to others. Thread-safe. */
final class PlacementOrders {
  private static final Logger LOG = LoggerFactory.getLogger(PlacementOrders.class);

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
   * Completes with the node's response, or fails with the reason within the timeout. An exception
   * thrown by a node counts as a missing response.
   */
  CompletableFuture<byte[]> send(NodeId node, PlacementOrder.Task task, Duration timeout) {
    // Numbering and sending are atomic: a later order must not have the lower number.
    synchronized (this) {
      PlacementOrder order = new PlacementOrder(term, lastNumber.incrementAndGet(), task);
      try {
        return node.equals(self)
            ? withTimeout(local.apply(order), timeout)
            : peers.call(node, PlacementAgent.NAME, order.encode(), timeout);
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }

  /** Completes when each node has reported its replicas or failed to; the latter are missing. */
  CompletableFuture<Map<NodeId, RangeReports>> requestReports(
      List<NodeId> nodes, Duration timeout) {
    Map<NodeId, RangeReports> reports = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> requests = new ArrayList<>();
    for (NodeId node : nodes) {
      requests.add(
          send(node, new PlacementOrder.Report(), timeout)
              .thenAccept(report -> reports.put(node, RangeReports.decode(report)))
              .exceptionally(failure -> logMissingReport(node, failure)));
    }
    return CompletableFuture.allOf(requests.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> reports);
  }

  private static @Nullable Void logMissingReport(NodeId node, Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (cause instanceof MalformedBytesException) {
      LOG.warn("Cannot read the replica report of a node: {} node={}", cause.getMessage(), node);
    } else {
      LOG.debug("No replica report from a node: {} node={}", cause.getMessage(), node);
    }
    return null;
  }

  /**
   * Limits the time for a response of this node. As on other nodes, an order may still be carried
   * out after its timeout.
   */
  private CompletableFuture<byte[]> withTimeout(
      CompletableFuture<byte[]> response, Duration timeout) {
    if (response.isDone()) {
      return response;
    }
    CompletableFuture<byte[]> limited = response.copy();
    String timedOut = "this node did not respond within " + timeout.toMillis() + " ms";
    timers.schedule(
        timeout.toMillis(),
        () ->
            limited.completeExceptionally(
                new PeerException(PeerException.Kind.NO_RESPONSE, timedOut)));
    return limited;
  }
}
