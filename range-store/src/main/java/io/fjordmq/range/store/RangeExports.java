package io.fjordmq.range.store;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Opens consistent views of ranges that have a replica on this node. Thread-safe. */
public final class RangeExports {
  private final Kv kv;
  private final Map<RangeId, SupervisedReplica> replicas;
  private final Executor readers;

  /**
   * @param readers may block on the disk
   */
  RangeExports(Kv kv, Map<RangeId, SupervisedReplica> replicas, Executor readers) {
    this.kv = kv;
    this.replicas = replicas;
    this.readers = readers;
  }

  /** Returns whether the range has a replica on this node. */
  public boolean has(RangeId id) {
    return replicas.containsKey(id);
  }

  /**
   * Opens the data of a range, with everything that was committed before this call. The caller must
   * close it. Fails with {@link IllegalStateException} if this node has no open replica, with
   * {@link io.fjordmq.cluster.consensus.ConsensusException} if the replica cannot catch up, and
   * with {@link IOException} if the replica is being replaced or removed.
   */
  public CompletableFuture<RangeExport> open(RangeId id) {
    SupervisedReplica supervised = replicas.get(id);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    if (replica == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("this node has no open replica of range " + id));
    }
    try {
      return replica.catchUp().thenApplyAsync(index -> openNow(id), readers);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("too many queries are waiting on this node", e));
    }
  }

  private RangeExport openNow(RangeId id) {
    try {
      return RangeExport.open(id, kv.space(id.store()));
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }
}
