package io.fjordmq.broker.admin;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects the reports of all live nodes. Thread-safe; does not block. */
public final class NodeReports {
  private static final Logger LOG = LoggerFactory.getLogger(NodeReports.class);
  private static final String SERVICE = "node-report";
  private static final byte[] EMPTY_REQUEST = {};
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(1);

  private final Membership membership;
  private final PeerNetwork peers;
  private final Supplier<NodeReport> own;

  private NodeReports(Membership membership, PeerNetwork peers, Supplier<NodeReport> own) {
    this.membership = membership;
    this.peers = peers;
    this.own = own;
  }

  /**
   * Starts responding to requests from other nodes.
   *
   * @param own the report of this node; called on any thread, must not block
   */
  public static NodeReports start(
      Membership membership, PeerNetwork peers, Supplier<NodeReport> own) {
    peers.serve(SERVICE, (from, request) -> CompletableFuture.completedFuture(own.get().encode()));
    return new NodeReports(membership, peers, own);
  }

  /**
   * Collects the reports. The future completes within a second and omits nodes that have not
   * responded by then.
   */
  public CompletableFuture<Map<String, NodeReport>> collect() {
    Map<String, NodeReport> reports = new ConcurrentHashMap<>();
    reports.put(membership.self().value(), own.get());
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (NodeId other : membership.members().alive()) {
      if (!other.equals(membership.self())) {
        calls.add(
            peers
                .call(other, SERVICE, EMPTY_REQUEST, CALL_TIMEOUT)
                .thenAccept(response -> reports.put(other.value(), NodeReport.decode(response)))
                .exceptionally(
                    failure -> {
                      LOG.debug("No report from a node: {} node={}", failure.toString(), other);
                      return null;
                    }));
      }
    }
    return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> Map.copyOf(reports));
  }
}
