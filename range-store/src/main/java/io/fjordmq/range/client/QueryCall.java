package io.fjordmq.range.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A query and its attempts. Queries change nothing, so they can be repeated. Thread-safe. */
final class QueryCall {
  private final byte[] key;
  private final byte[] query;
  private final long deadlineMillis;
  private final ClientDependencies shared;
  private final Supplier<RangeRouteTable> table;
  private final CompletableFuture<byte[]> future = new CompletableFuture<>();

  /** Guarded by this. */
  private int attempt;

  private int failedAttempts;
  private long attemptedAtMillis;
  private boolean waiting;
  private String lastFailure = "no response";
  private boolean storageFailed;

  QueryCall(
      byte[] key,
      byte[] query,
      long deadlineMillis,
      ClientDependencies shared,
      Supplier<RangeRouteTable> table) {
    this.key = key;
    this.query = query;
    this.deadlineMillis = deadlineMillis;
    this.shared = shared;
    this.table = table;
  }

  CompletableFuture<byte[]> future() {
    return future;
  }

  void send() {
    RangeRoute route;
    try {
      route = table.get().find(key);
    } catch (RangeException e) {
      future.completeExceptionally(e);
      return;
    }
    int current;
    synchronized (this) {
      current = ++attempt;
      waiting = true;
      attemptedAtMillis = shared.timers().nowMillis();
    }
    LeaderHint leader = route.batcher().leader();
    shared
        .transport()
        .query(
            leader.node(),
            route.descriptor().id(),
            route.descriptor().epoch().version(),
            route.batcher().knownAppliedIndex(),
            query,
            result -> onReply(route, leader, current, result));
  }

  private void onReply(
      RangeRoute route, LeaderHint target, int repliedAttempt, RangeResult result) {
    if (result instanceof RangeResult.Success success) {
      future.complete(success.response());
      return;
    }
    synchronized (this) {
      if (repliedAttempt != attempt || !waiting) {
        return;
      }
      waiting = false;
      storageFailed = result instanceof RangeResult.StorageFailed;
    }
    RangeId range = route.descriptor().id();
    if (result instanceof RangeResult.StaleEpoch stale) {
      shared.observer().onRedirect(range);
      shared.client().onNewDescriptors(stale.current());
      retryLater(range, "routed with an outdated epoch", shared.settings()::backoffMillis);
    } else if (result instanceof RangeResult.NotLeader notLeader) {
      shared.observer().onRedirect(range);
      NodeId hint = notLeader.leader();
      route.batcher().onLeaderChanged(target, hint);
      retryLater(
          range,
          "node " + target.node() + " does not lead the range",
          shared.settings()::searchBackoffMillis);
    } else if (result instanceof RangeResult.Unavailable unavailable) {
      route.batcher().onLeaderChanged(target, null);
      retryLater(
          range, "unavailable: " + unavailable.reason(), shared.settings()::searchBackoffMillis);
    } else {
      retryLater(range, String.valueOf(result), shared.settings()::backoffMillis);
    }
  }

  private void retryLater(RangeId range, String reason, IntToLongFunction pauseMillis) {
    int failed;
    synchronized (this) {
      failed = ++failedAttempts;
      lastFailure = reason;
    }
    shared.observer().onRetry(range, reason);
    shared
        .timers()
        .schedule(
            pauseMillis.applyAsLong(failed),
            () -> {
              if (!future.isDone()) {
                send();
              }
            });
  }

  /** Gives up at the deadline; resends the query if an attempt got no reply. */
  void checkDeadline(long nowMillis) {
    @Nullable RangeException failure = null;
    synchronized (this) {
      if (nowMillis >= deadlineMillis) {
        RangeException.Kind kind =
            storageFailed ? RangeException.Kind.STORAGE_FAILED : RangeException.Kind.UNAVAILABLE;
        failure = new RangeException(kind, "query failed before its deadline: " + lastFailure);
      } else if (!waiting
          || nowMillis - attemptedAtMillis < shared.settings().attemptTimeout().toMillis()) {
        return;
      }
    }
    if (failure != null) {
      future.completeExceptionally(failure);
    } else {
      send();
    }
  }
}
