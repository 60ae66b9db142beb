package io.fjordmq.broker.admin;

import io.fjordmq.broker.accounts.AuditFilter;
import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.admin.NodeOperationException.Kind;
import io.fjordmq.broker.config.ConfigEntry;
import io.fjordmq.broker.drain.Evacuation;
import io.fjordmq.broker.net.ListenerStatus;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.security.PluginStatus;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.OperationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Operator requests to single nodes, sent from any node. Thread-safe; does not block. Futures for
 * one node fail with {@link NodeOperationException}; those for all nodes never fail, but name the
 * nodes that are missing.
 */
public final class NodeOperations implements ClusterAudit.Source, AutoCloseable {
  /** Name of this service between nodes. */
  static final String SERVICE = "node-operations";

  private static final Duration READ_TIMEOUT = Duration.ofSeconds(1);

  /** Time allowed for a change, which waits until it is in the metadata. */
  private static final Duration ACT_TIMEOUT = Duration.ofSeconds(8);

  private final Membership membership;
  private final PeerNetwork peers;
  private final LocalOperations local;

  private NodeOperations(Membership membership, PeerNetwork peers, LocalOperations local) {
    this.membership = membership;
    this.peers = peers;
    this.local = local;
  }

  /**
   * Starts answering other nodes.
   *
   * @param node handles requests for this node
   */
  public static NodeOperations start(
      Membership membership, PeerNetwork peers, LocalOperations.Parts node) {
    LocalOperations local = new LocalOperations(node);
    peers.serve(SERVICE, (from, request) -> local.handle(request));
    return new NodeOperations(membership, peers, local);
  }

  /** The id of this node. */
  public String self() {
    return membership.self().value();
  }

  /** The listeners of all nodes. */
  public CompletableFuture<ClusterResponses<ListenerStatus>> listeners() {
    return all(NodeRequest.of(NodeRequest.Kind.LISTENERS))
        .thenApply(result -> result.flatMap(rows -> mapped(rows, NodeRowCodec::listener)));
  }

  /** The plugins of all nodes. */
  public CompletableFuture<ClusterResponses<PluginStatus>> plugins() {
    return all(NodeRequest.of(NodeRequest.Kind.PLUGINS))
        .thenApply(result -> result.flatMap(rows -> mapped(rows, NodeRowCodec::plugin)));
  }

  /** The evacuations of all nodes. */
  public CompletableFuture<ClusterResponses<Evacuation.Status>> evacuations() {
    return all(NodeRequest.of(NodeRequest.Kind.EVACUATION_STATUS))
        .thenApply(result -> result.flatMap(rows -> mapped(rows, NodeRowCodec::evacuation)));
  }

  /**
   * Removes the cached results of providers on all nodes.
   *
   * @return the nodes that did not respond, each with the reason
   */
  public CompletableFuture<List<String>> clearProviderCaches(ProviderEntry.Chain chain) {
    return all(NodeRequest.of(NodeRequest.Kind.CLEAR_PROVIDER_CACHES, chain.label()))
        .thenApply(ClusterResponses::problems);
  }

  /** The effective configuration of a node. */
  public CompletableFuture<List<ConfigEntry>> configuration(String node) {
    return one(node, NodeRequest.of(NodeRequest.Kind.CONFIGURATION), READ_TIMEOUT)
        .thenApply(rows -> mapped(rows, NodeRowCodec::configEntry));
  }

  /** Rebuilds the replica of a range on a node. */
  public CompletableFuture<CommandResult> rebuild(String node, String range) {
    return command(node, NodeRequest.of(NodeRequest.Kind.REBUILD, range));
  }

  /**
   * Starts to move leadership and clients off a node.
   *
   * @param clientsPerSecond at least 1; null for the configured rate
   */
  public CompletableFuture<CommandResult> startEvacuation(
      String node, @Nullable Integer clientsPerSecond) {
    return command(
        node,
        NodeRequest.of(
            NodeRequest.Kind.EVACUATION_START,
            clientsPerSecond == null ? null : clientsPerSecond.toString()));
  }

  /** Ends an evacuation. */
  public CompletableFuture<CommandResult> stopEvacuation(String node) {
    return command(node, NodeRequest.of(NodeRequest.Kind.EVACUATION_STOP));
  }

  /** Reloads a plugin on a node. */
  public CompletableFuture<CommandResult> reloadPlugin(String node, String plugin) {
    return command(node, NodeRequest.of(NodeRequest.Kind.RELOAD_PLUGIN, plugin));
  }

  /** Decommissions a node, or returns its progress. */
  public CompletableFuture<CommandResult> decommission(String node) {
    return command(node, NodeRequest.of(NodeRequest.Kind.DECOMMISSION));
  }

  @Override
  public CompletableFuture<AuditLog.Page> page(
      String node, @Nullable Long cursor, int limit, AuditFilter filter) {
    return one(node, NodeRowCodec.audit(cursor, limit, filter), READ_TIMEOUT)
        .thenApply(NodeRowCodec::auditPage);
  }

  @Override
  public List<String> nodes() {
    return membership.members().alive().stream().map(NodeId::value).sorted().toList();
  }

  private static <T> List<T> mapped(List<NodeRow> rows, Function<NodeRow, T> mapping) {
    return rows.stream().map(mapping).toList();
  }

  private CompletableFuture<CommandResult> command(String node, NodeRequest request) {
    return one(node, request, ACT_TIMEOUT).thenApply(rows -> NodeRowCodec.command(rows.get(0)));
  }

  private CompletableFuture<List<NodeRow>> one(String node, NodeRequest request, Duration timeout) {
    Member member =
        membership.members().byNode().values().stream()
            .filter(known -> known.node().value().equals(node))
            .findFirst()
            .orElse(null);
    if (member == null) {
      return failed(Kind.UNKNOWN_NODE, "node '" + node + "' does not exist");
    }
    if (!member.isAlive()) {
      return failed(Kind.UNAVAILABLE, "node " + node + " is down");
    }
    return send(member.node(), request, timeout)
        .exceptionallyCompose(
            failure -> failed(Kind.UNAVAILABLE, "node " + node + ": " + reason(failure)));
  }

  private static <T> CompletableFuture<T> failed(Kind kind, String message) {
    return CompletableFuture.failedFuture(new NodeOperationException(kind, message));
  }

  private CompletableFuture<List<NodeRow>> send(
      NodeId node, NodeRequest request, Duration timeout) {
    if (node.equals(membership.self())) {
      return local.execute(request).orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
    return peers.call(node, SERVICE, request.encode(), timeout).thenApply(NodeRows::decode);
  }

  /** The rows of each node that is alive. */
  private CompletableFuture<ClusterResponses<List<NodeRow>>> all(NodeRequest request) {
    List<ClusterResponses.OfNode<CompletableFuture<List<NodeRow>>>> calls =
        membership.members().alive().stream()
            .sorted(Comparator.comparing(NodeId::value))
            .map(
                node ->
                    new ClusterResponses.OfNode<>(node.value(), send(node, request, READ_TIMEOUT)))
            .toList();
    return CompletableFuture.allOf(
            calls.stream().map(ClusterResponses.OfNode::value).toArray(CompletableFuture<?>[]::new))
        .handle((done, failure) -> collect(calls));
  }

  private static <T> ClusterResponses<T> collect(
      List<ClusterResponses.OfNode<CompletableFuture<T>>> calls) {
    List<ClusterResponses.OfNode<T>> values = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (ClusterResponses.OfNode<CompletableFuture<T>> call : calls) {
      try {
        values.add(call.with(call.value().join()));
      } catch (RuntimeException e) {
        problems.add("node " + call.node() + ": " + reason(e));
      }
    }
    return new ClusterResponses<>(values, problems);
  }

  /** The reason of a failure, for operators. */
  static String reason(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (cause instanceof TimeoutException) {
      return "did not respond in time";
    }
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }

  @Override
  public void close() {
    local.close();
  }
}
