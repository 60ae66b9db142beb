package io.fjordmq.broker.logging;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.OperationException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The levels of the loggers of all live nodes, or of one of them. Nodes that do not respond within
 * a second are named in the result. Thread-safe; does not block.
 */
public final class ClusterLogLevels {
  /** The name of the service between nodes. */
  static final String SERVICE = "log-levels";

  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private final LogLevels own;
  private final Membership membership;
  private final PeerNetwork peers;

  /** The level of a logger of a node. */
  public record NodeLevel(String node, LoggerLevel level) {}

  /**
   * The responses of the nodes.
   *
   * @param levels sorted by node
   * @param problems the nodes that did not respond, and why
   */
  public record Result(List<NodeLevel> levels, List<String> problems) {}

  private record NodeResponse(List<NodeLevel> levels, @Nullable String problem) {}

  private ClusterLogLevels(LogLevels own, Membership membership, PeerNetwork peers) {
    this.own = own;
    this.membership = membership;
    this.peers = peers;
  }

  /** Starts responding to other nodes. */
  public static ClusterLogLevels start(LogLevels own, Membership membership, PeerNetwork peers) {
    peers.serve(SERVICE, (from, request) -> respond(own, request));
    return new ClusterLogLevels(own, membership, peers);
  }

  private static CompletableFuture<byte[]> respond(LogLevels own, byte[] request) {
    try {
      List<LoggerLevel> levels = LogLevelCall.decode(request).apply(own);
      return CompletableFuture.completedFuture(LogLevelCall.encodeResponse(levels));
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The levels of this node. */
  public LogLevels own() {
    return own;
  }

  /** Whether a node with this id is alive. */
  public boolean isAlive(String node) {
    return membership.members().alive().stream().anyMatch(id -> id.value().equals(node));
  }

  /**
   * Lists the loggers that have their own level.
   *
   * @param node null for all live nodes
   */
  public CompletableFuture<Result> list(@Nullable String node) {
    return call(node, new LogLevelCall.ListLevels());
  }

  /**
   * Changes the level of a logger.
   *
   * @param node null for all live nodes
   * @param duration how long the change lasts; null until each node stops
   */
  public CompletableFuture<Result> set(
      @Nullable String node, String logger, LogLevel level, @Nullable Duration duration) {
    return call(node, new LogLevelCall.SetLevel(logger, level, duration));
  }

  /**
   * Ends the change of a level.
   *
   * @param node null for all live nodes
   */
  public CompletableFuture<Result> reset(@Nullable String node, String logger) {
    return call(node, new LogLevelCall.ResetLevel(logger));
  }

  private CompletableFuture<Result> call(@Nullable String only, LogLevelCall call) {
    List<CompletableFuture<NodeResponse>> responses =
        membership.members().alive().stream()
            .filter(node -> only == null || node.value().equals(only))
            .sorted(Comparator.comparing(NodeId::value))
            .map(node -> call(node, call))
            .toList();
    return CompletableFuture.allOf(responses.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> merge(responses));
  }

  private CompletableFuture<NodeResponse> call(NodeId node, LogLevelCall call) {
    if (node.equals(membership.self())) {
      return CompletableFuture.completedFuture(responseOf(node, call.apply(own)));
    }
    return peers
        .call(node, SERVICE, call.encode(), TIMEOUT)
        .thenApply(response -> responseOf(node, LogLevelCall.decodeResponse(response)))
        .exceptionally(
            failure ->
                new NodeResponse(List.of(), "node " + node.value() + ": " + reason(failure)));
  }

  private static NodeResponse responseOf(NodeId node, List<LoggerLevel> levels) {
    return new NodeResponse(
        levels.stream().map(level -> new NodeLevel(node.value(), level)).toList(), null);
  }

  private static Result merge(List<CompletableFuture<NodeResponse>> responses) {
    List<NodeLevel> levels = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (CompletableFuture<NodeResponse> response : responses) {
      NodeResponse done = response.join();
      levels.addAll(done.levels);
      if (done.problem != null) {
        problems.add(done.problem);
      }
    }
    return new Result(levels, problems);
  }

  private static String reason(Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    String message = cause.getMessage();
    return message == null ? cause.getClass().getSimpleName() : message;
  }
}
