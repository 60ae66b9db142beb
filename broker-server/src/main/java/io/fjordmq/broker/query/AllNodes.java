package io.fjordmq.broker.query;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.cluster.peer.PeerException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sends one request to all nodes that are alive. Thread-safe; does not block. */
final class AllNodes {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final Membership membership;
  private final PeerCalls peers;

  /**
   * The responses of the nodes.
   *
   * @param byNode by id, sorted; without nodes that did not respond
   * @param problems the nodes that did not respond, and why
   */
  record Responses<T>(Map<String, T> byNode, List<String> problems) {}

  AllNodes(Membership membership, PeerCalls peers) {
    this.membership = membership;
    this.peers = peers;
  }

  /**
   * Asks all nodes.
   *
   * @param service the name of the service on other nodes
   * @param own supplies the response of this node
   * @param decode decodes the response of another node
   * @return completes on any thread within about a second; never fails
   */
  <T> CompletableFuture<Responses<T>> ask(
      String service, byte[] request, Supplier<T> own, Function<byte[], T> decode) {
    Map<String, CompletableFuture<T>> calls = new TreeMap<>();
    for (NodeId node : membership.members().alive()) {
      calls.put(
          node.value(),
          node.equals(membership.self())
              ? CompletableFuture.completedFuture(own.get())
              : QueryNodes.inTime(peers.call(node, service, request, TIMEOUT).thenApply(decode)));
    }
    return CompletableFuture.allOf(calls.values().toArray(CompletableFuture<?>[]::new))
        .handle((all, someFailure) -> collect(calls));
  }

  private static <T> Responses<T> collect(Map<String, CompletableFuture<T>> calls) {
    Map<String, T> byNode = new TreeMap<>();
    List<String> problems = new ArrayList<>();
    calls.forEach(
        (node, call) ->
            call.whenComplete(
                (response, failure) -> {
                  if (failure == null) {
                    byNode.put(node, response);
                  } else {
                    problems.add(PeerException.describe(node, failure));
                  }
                }));
    return new Responses<>(byNode, List.copyOf(problems));
  }
}
