package io.fjordmq.broker.monitor;

import io.fjordmq.broker.monitor.MonitorCodec.Request;
import io.fjordmq.broker.query.NodeBroadcast;
import io.fjordmq.broker.query.NodeBroadcast.Responses;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.MalformedBytesException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The measured values of one node or of all nodes that are alive. Thread-safe; does not block. */
public final class MonitorQueries {
  /** The name of the service between nodes. */
  static final String SERVICE = "monitor";

  private final Sampler sampler;
  private final Supplier<Map<String, Long>> counters;
  private final Membership membership;
  private final NodeBroadcast nodes;

  /**
   * Samples of one or more nodes.
   *
   * @param samples oldest first
   * @param problems the nodes whose samples are missing, each with the reason
   */
  public record History(List<ClusterSample> samples, List<String> problems) {}

  private MonitorQueries(
      Sampler sampler,
      Supplier<Map<String, Long>> counters,
      Membership membership,
      PeerNetwork peers) {
    this.sampler = sampler;
    this.counters = counters;
    this.membership = membership;
    this.nodes = new NodeBroadcast(membership, peers, SERVICE);
  }

  /**
   * Starts responding to other nodes.
   *
   * @param counters the counters of this node since it started, by name; must not block
   */
  public static MonitorQueries start(
      Sampler sampler,
      Supplier<Map<String, Long>> counters,
      Membership membership,
      PeerNetwork peers) {
    MonitorQueries queries = new MonitorQueries(sampler, counters, membership, peers);
    peers.serve(SERVICE, (from, request) -> queries.respond(request));
    return queries;
  }

  private CompletableFuture<byte[]> respond(byte[] bytes) {
    try {
      Request request = Request.decode(bytes);
      return CompletableFuture.completedFuture(
          switch (request.kind()) {
            case MonitorCodec.SAMPLES -> MonitorCodec.encode(sampler.latest(request.seconds()));
            case MonitorCodec.CURRENT -> MonitorCodec.encode(sampler.current());
            default -> MonitorCodec.encode(counters.get());
          });
    } catch (MalformedBytesException | IllegalStateException e) { // malformed, or stopping
      return CompletableFuture.failedFuture(e);
    }
  }

  /** All nodes that are alive, or one node. */
  private Collection<NodeId> targets(@Nullable String node) {
    return node == null ? membership.members().alive() : Set.of(new NodeId(node));
  }

  /**
   * Returns the samples of the last seconds.
   *
   * @param node the id of a node; null to merge those of all nodes
   * @param seconds at least 1; samples are kept for {@link Sampler#RETENTION}
   * @return completes on any thread; never fails
   */
  public CompletableFuture<History> history(@Nullable String node, int seconds) {
    return nodes
        .ask(
            targets(node),
            new Request(MonitorCodec.SAMPLES, seconds).encode(),
            MonitorCodec::decodeSamples,
            () -> sampler.latest(seconds))
        .thenApply(
            responses ->
                new History(
                    ClusterSample.merge(responses.byNode().values()), responses.problems()));
  }

  /**
   * Returns the current values of each node by label.
   *
   * @param node the id of a node; null for all nodes
   * @return completes on any thread; never fails
   */
  public CompletableFuture<Responses<Map<String, Long>>> current(@Nullable String node) {
    return nodes.ask(
        targets(node),
        new Request(MonitorCodec.CURRENT, 0).encode(),
        MonitorCodec::decodeValues,
        sampler::current);
  }

  /**
   * Returns the counters of all nodes by name.
   *
   * @return completes on any thread; never fails
   */
  public CompletableFuture<Responses<Map<String, Long>>> counters() {
    return nodes.askAll(
        new Request(MonitorCodec.COUNTERS, 0).encode(), MonitorCodec::decodeValues, counters);
  }

  /** Merges current values or counters of several nodes: most are added up. */
  public static Map<String, Long> merge(Collection<Map<String, Long>> byNode) {
    Map<String, Long> merged = new LinkedHashMap<>();
    for (Map<String, Long> values : byNode) {
      values.forEach(
          (label, value) ->
              merged.merge(
                  label,
                  value,
                  (one, other) -> {
                    Series series = Series.find(label);
                    return series == null ? one + other : series.merge(one, other);
                  }));
    }
    return merged;
  }
}
