package io.fjordmq.broker.admin;

import io.fjordmq.broker.accounts.AuditFilter;
import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.config.ConfigEntry;
import io.fjordmq.broker.drain.Evacuation;
import io.fjordmq.broker.net.ListenerStatus;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.security.PluginStatus;
import io.fjordmq.common.MalformedBytesException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Answers requests about this node, which can arrive at any node. Thread-safe. */
public final class LocalOperations implements AutoCloseable {
  private static final int MAX_WAITING = 16;
  private static final int KEEP_ALIVE_SECONDS = 60;
  private static final int MAX_AUDIT_PAGE = 10_000;

  /**
   * The parts of this node. None of the suppliers may block.
   *
   * @param commands executes commands; blocks
   * @param decommission decommissions this node; blocks
   * @param reload reloads the plugin of this name
   */
  public record Parts(
      Supplier<List<ListenerStatus>> listeners,
      AuditLog audit,
      ClusterCommands commands,
      Evacuation evacuation,
      Decommission decommission,
      Supplier<List<PluginStatus>> plugins,
      Function<String, CompletableFuture<PluginStatus>> reload,
      Supplier<List<ConfigEntry>> configuration,
      Consumer<ProviderEntry.Chain> clearProviderCaches) {}

  private final Parts parts;

  /** Runs what blocks, one request after the other. */
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          KEEP_ALIVE_SECONDS,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MAX_WAITING),
          task -> new Thread(task, "node-operations"));

  LocalOperations(Parts parts) {
    this.parts = parts;
    thread.allowCoreThreadTimeOut(true);
  }

  /** Handles a request of another node. */
  CompletableFuture<byte[]> handle(byte[] request) {
    try {
      return execute(NodeRequest.decode(request)).thenApply(NodeRows::encode);
    } catch (MalformedBytesException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Executes a request; returns rows. */
  CompletableFuture<List<NodeRow>> execute(NodeRequest request) {
    return switch (request.kind()) {
      case LISTENERS -> done(parts.listeners.get().stream().map(NodeRowCodec::of).toList());
      case PLUGINS -> done(parts.plugins.get().stream().map(NodeRowCodec::of).toList());
      case CONFIGURATION -> done(parts.configuration.get().stream().map(NodeRowCodec::of).toList());
      case EVACUATION_STATUS -> done(List.of(NodeRowCodec.of(parts.evacuation.status())));
      case AUDIT -> done(audit(request));
      case CLEAR_PROVIDER_CACHES -> clearProviderCaches(request);
      case EVACUATION_START -> startEvacuation(request);
      case EVACUATION_STOP ->
          outcome(
              parts.evacuation.stop(),
              "draining has ended; the node accepts clients again. Clients that have"
                  + " reconnected to other nodes stay there");
      case REBUILD ->
          blocking(
              () ->
                  parts.commands.execute(
                      List.of(
                          "rebuild", Objects.requireNonNullElse(request.arguments().find(0), ""))));
      case DECOMMISSION -> blocking(parts.decommission::request);
      case RELOAD_PLUGIN -> reload(Objects.requireNonNullElse(request.arguments().find(0), ""));
    };
  }

  private CompletableFuture<List<NodeRow>> clearProviderCaches(NodeRequest request) {
    String chain = Objects.requireNonNullElse(request.arguments().find(0), "");
    for (ProviderEntry.Chain one : ProviderEntry.Chain.values()) {
      if (one.label().equals(chain)) {
        parts.clearProviderCaches.accept(one);
      }
    }
    return done(List.of());
  }

  private List<NodeRow> audit(NodeRequest request) {
    AuditFilter filter = NodeRowCodec.auditFilter(request);
    int limit = Math.max(1, Math.min(MAX_AUDIT_PAGE, NodeRowCodec.auditLimit(request)));
    return NodeRowCodec.of(
        parts.audit.page(NodeRowCodec.auditCursor(request), limit, filter::matches));
  }

  private CompletableFuture<List<NodeRow>> startEvacuation(NodeRequest request) {
    String rate = request.arguments().find(0);
    return outcome(
        parts.evacuation.start(rate == null ? null : Integer.valueOf(rate)),
        "draining has begun: leadership moves to other nodes, then the node refuses new"
            + " clients and disconnects its clients");
  }

  private CompletableFuture<List<NodeRow>> reload(String plugin) {
    return parts
        .reload
        .apply(plugin)
        .thenApply(
            now ->
                CommandResult.done(
                    "reloaded" + (now.version() == null ? "" : ", version " + now.version())))
        .exceptionally(failure -> CommandResult.failed(NodeOperations.reason(failure)))
        .thenApply(result -> List.of(NodeRowCodec.of(result)));
  }

  /** The outcome of an action that has no reason to fail, or such a reason. */
  private static CompletableFuture<List<NodeRow>> outcome(
      CompletableFuture<String> refusal, String success) {
    return refusal.thenApply(
        reason ->
            List.of(
                NodeRowCodec.of(
                    reason.isEmpty()
                        ? CommandResult.done(success)
                        : CommandResult.failed(reason))));
  }

  private static CompletableFuture<List<NodeRow>> done(List<NodeRow> rows) {
    return CompletableFuture.completedFuture(rows);
  }

  private CompletableFuture<List<NodeRow>> blocking(Supplier<CommandResult> command) {
    try {
      return CompletableFuture.supplyAsync(() -> List.of(NodeRowCodec.of(command.get())), thread);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("too many commands are waiting; retry later", e));
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
