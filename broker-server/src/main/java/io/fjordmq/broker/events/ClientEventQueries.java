package io.fjordmq.broker.events;

import io.fjordmq.broker.events.ClientTimeline.NodeEvent;
import io.fjordmq.broker.events.EventCodec.FindRequest;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.MalformedBytesException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Finds the events of a client on all nodes that are alive. Thread-safe. */
public final class ClientEventQueries {
  /** The name of the service between nodes. */
  static final String SERVICE = "client-events";

  /** Time allowed for a node to respond. */
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final ClientEventLog log;
  private final Membership membership;
  private final PeerNetwork peers;

  /** The response of one node. */
  private record NodeResponse(List<NodeEvent> events, @Nullable String problem) {}

  private ClientEventQueries(ClientEventLog log, Membership membership, PeerNetwork peers) {
    this.log = log;
    this.membership = membership;
    this.peers = peers;
  }

  /** Starts responding to other nodes. */
  public static ClientEventQueries start(
      ClientEventLog log, Membership membership, PeerNetwork peers) {
    ClientEventQueries queries = new ClientEventQueries(log, membership, peers);
    peers.serve(SERVICE, (from, request) -> queries.respond(request));
    return queries;
  }

  private CompletableFuture<byte[]> respond(byte[] request) {
    try {
      FindRequest find = EventCodec.decodeRequest(request);
      return CompletableFuture.completedFuture(
          EventCodec.encode(log.find(find.tenant(), find.clientId())));
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Finds the recent events of a client on all nodes that are alive. Nodes that do not respond
   * within one second are named in the result.
   *
   * @param tenant null for the clients of all tenants with this identifier, and for connection
   *     attempts that were not authenticated
   * @return completes on any thread; never fails
   */
  public CompletableFuture<ClientTimeline> find(@Nullable String tenant, String clientId) {
    List<CompletableFuture<NodeResponse>> responses =
        membership.members().alive().stream()
            .sorted(Comparator.comparing(NodeId::value))
            .map(node -> find(node, new FindRequest(tenant, clientId)))
            .toList();
    return CompletableFuture.allOf(responses.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> merge(responses));
  }

  private CompletableFuture<NodeResponse> find(NodeId node, FindRequest request) {
    if (node.equals(membership.self())) {
      return CompletableFuture.completedFuture(
          responseOf(node, log.find(request.tenant(), request.clientId())));
    }
    return peers
        .call(node, SERVICE, EventCodec.encode(request), TIMEOUT)
        .thenApply(response -> responseOf(node, EventCodec.decodeResponse(response)))
        .exceptionally(
            failure -> new NodeResponse(List.of(), PeerException.describe(node.value(), failure)));
  }

  private static NodeResponse responseOf(NodeId node, List<RecordedEvent> events) {
    return new NodeResponse(
        events.stream().map(event -> new NodeEvent(node.value(), event)).toList(), null);
  }

  private static ClientTimeline merge(List<CompletableFuture<NodeResponse>> responses) {
    List<NodeEvent> events = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (CompletableFuture<NodeResponse> response : responses) {
      NodeResponse done = response.join();
      events.addAll(done.events);
      if (done.problem != null) {
        problems.add(done.problem);
      }
    }
    return ClientTimeline.of(events, problems);
  }
}
