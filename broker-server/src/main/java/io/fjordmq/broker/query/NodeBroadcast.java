package io.fjordmq.broker.query;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Sends the same request to a service of several nodes, and collects the responses. Thread-safe;
 * does not block.
 */
public final class NodeBroadcast {
  /** Time allowed for a node to respond. */
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final Membership membership;
  private final PeerCalls peers;
  private final String service;

  /**
   * The responses.
   *
   * @param byNode the responses by node id, sorted
   * @param failures a line for each node that did not respond, with the reason, by node id, sorted
   */
  public record Responses<T>(Map<String, T> byNode, Map<String, String> failures) {
    /** Returns a line for each node that did not respond. */
    public List<String> problems() {
      return List.copyOf(failures.values());
    }
  }

  /**
   * @param service the name of the service between nodes
   */
  public NodeBroadcast(Membership membership, PeerCalls peers, String service) {
    this.membership = membership;
    this.peers = peers;
    this.service = service;
  }

  /** Asks all nodes that are alive; see {@link #ask}. */
  public <T> CompletableFuture<Responses<T>> askAll(
      byte[] request, Function<byte[], T> decode, Supplier<T> own) {
    return ask(membership.members().alive(), request, decode, own);
  }

  /**
   * Asks nodes. A node that does not respond within one second, or whose response cannot be
   * decoded, is named in the result.
   *
   * @param own the response of this node, if it is among the nodes; called immediately
   * @return completes on any thread; never fails unless {@code own} throws
   */
  public <T> CompletableFuture<Responses<T>> ask(
      Collection<NodeId> nodes, byte[] request, Function<byte[], T> decode, Supplier<T> own) {
    Map<String, T> responses = new ConcurrentHashMap<>();
    Map<String, String> failures = new ConcurrentHashMap<>();
    List<CompletableFuture<Void>> calls =
        nodes.stream()
            .sorted(Comparator.comparing(NodeId::value))
            .map(
                node ->
                    call(node, request, decode, own)
                        .thenAccept(response -> responses.put(node.value(), response))
                        .exceptionally(
                            failure -> {
                              failures.put(
                                  node.value(), PeerException.describe(node.value(), failure));
                              return null;
                            }))
            .toList();
    return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> new Responses<>(new TreeMap<>(responses), new TreeMap<>(failures)));
  }

  private <T> CompletableFuture<T> call(
      NodeId node, byte[] request, Function<byte[], T> decode, Supplier<T> own) {
    return node.equals(membership.self())
        ? CompletableFuture.completedFuture(own.get())
        : peers.call(node, service, request, TIMEOUT).thenApply(decode);
  }
}
