package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Operations of a range's leader, if it is on this node: they change the group, the epoch or the
 * key interval of the range, one at a time for each range. Thread-safe; does not block.
 */
public final class LeaderOperations {
  private final NodeId self;
  private final StoredReplicas stored;
  private final Kv kv;
  private final Map<RangeId, SupervisedReplica> replicas;
  private final Function<RangeId, StoreSpec> specs;
  private final Set<RangeId> changing = ConcurrentHashMap.newKeySet();

  /**
   * @param replicas the replicas that this node keeps open; the caller updates this map
   * @param specs throws for a store that this node does not have
   */
  LeaderOperations(
      NodeId self,
      StoredReplicas stored,
      Kv kv,
      Map<RangeId, SupervisedReplica> replicas,
      Function<RangeId, StoreSpec> specs) {
    this.self = self;
    this.stored = stored;
    this.kv = kv;
    this.replicas = replicas;
    this.specs = specs;
  }

  /**
   * Changes the members of a group whose leader is on this node. If both sets are equal, success
   * confirms them. Fails with {@link ConsensusException} or {@link IllegalStateException}.
   */
  public CompletableFuture<Void> changeReplicas(RangeId id, ReplicaSet from, ReplicaSet to) {
    Consensus group = group(id);
    if (group == null) {
      return CompletableFuture.failedFuture(replicaNotOpen(id));
    }
    return runExclusively(
        id,
        () -> {
          ReplicaSet now = group.status().replicas();
          return now.equals(from)
              ? group.changeReplicas(to)
              : CompletableFuture.failedFuture(replicasChanged(id, from, now));
        });
  }

  /** Transfers leadership from this node to another voter. Fails like {@link #changeReplicas}. */
  public CompletableFuture<Void> transferLeadership(RangeId id, NodeId target) {
    Consensus group = group(id);
    return group == null
        ? CompletableFuture.failedFuture(replicaNotOpen(id))
        : group.transferLeadership(target);
  }

  /**
   * Splits a range whose leader is on this node (decision 0025). Completes when this replica has
   * applied the split durably; the others follow. Fails with {@link IllegalArgumentException} or
   * {@link IllegalStateException} if the split is not possible, with {@link KvException} if it
   * could not be made durable.
   *
   * @param epochVersion version of the range that the request is based on; a range with another
   *     version is not split
   * @param key first key of the new range; a {@linkplain StoreSpec#splitKeyFloor permitted} split
   *     key
   * @param number number of the new range; never used for any other
   */
  public CompletableFuture<Void> split(RangeId id, long epochVersion, byte[] key, long number) {
    if (!Arrays.equals(specs.apply(id).splitKeyFloor().apply(key), key)) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException(
              "store " + id.store() + " cannot be split at " + HexFormat.of().formatHex(key)));
    }
    SupervisedReplica supervised = replicas.get(id);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    Consensus group = group(id);
    if (replica == null || group == null) {
      return CompletableFuture.failedFuture(replicaNotOpen(id));
    }
    return runExclusively(
        id,
        () -> {
          GroupStatus now = group.status();
          RangeEntry.Split split =
              new RangeEntry.Split(0, epochVersion, number, key, now.replicas());
          if (RangeSplit.plan(replica.descriptor(), split) == null) {
            throw new IllegalArgumentException(
                ("cannot split range %s: the key is outside its interval %s, or its epoch "
                        + "version has changed from %d to %d")
                    .formatted(
                        id,
                        replica.descriptor().interval(),
                        epochVersion,
                        replica.descriptor().epoch().version()));
          } else if (stored.isAbsorbed(new RangeId(id.store(), number))) {
            throw new IllegalArgumentException(
                "cannot split range %s: number %d of store %s is already taken"
                    .formatted(id, number, id.store()));
          } else if (!isLogTruncated(now)) {
            throw new IllegalStateException(
                "the log of range %s has not been truncated yet; retry after the next checkpoint"
                    .formatted(id));
          }
          // Later changes, especially of the group's members, rely on the split being on this disk.
          return propose(replica, encode(split)).thenCompose(done -> kv.flush());
        });
  }

  /**
   * Returns whether the log no longer starts at entry 1; only ranges created by an earlier version
   * start there. A replica without the rows that a new range inherits could start at that entry,
   * and its log alone would look complete (decision 0025).
   */
  static boolean isLogTruncated(GroupStatus group) {
    return group.firstIndex() > 1;
  }

  private static byte[] encode(RangeEntry.Split split) {
    return RangeEntry.encodeSplit(
        split.epochVersion(), split.number(), split.key(), split.replicas());
  }

  private static CompletableFuture<Void> propose(RangeReplica replica, byte[] entry) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    replica.propose(
        entry,
        result -> {
          if (result instanceof RangeResult.Applied) {
            done.complete(null);
          } else {
            done.completeExceptionally(new IllegalStateException("proposal failed: " + result));
          }
        });
    return done;
  }

  /**
   * Applies an entry that changes the range while its group stays the same. The change is durable
   * on this node when the future completes.
   *
   * @param replicas required members of the group; null for any
   */
  CompletableFuture<Void> changeRange(RangeId id, @Nullable ReplicaSet replicas, byte[] entry) {
    SupervisedReplica supervised = this.replicas.get(id);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    Consensus group = group(id);
    if (replica == null || group == null) {
      return CompletableFuture.failedFuture(replicaNotOpen(id));
    }
    return runExclusively(
        id,
        () -> {
          ReplicaSet now = group.status().replicas();
          return replicas == null || replicas.equals(now)
              ? propose(replica, entry).thenCompose(done -> kv.flush())
              : CompletableFuture.failedFuture(replicasChanged(id, replicas, now));
        });
  }

  /**
   * Runs one change of a range's group, epoch or key interval at a time. Applies to changes by this
   * leader only.
   */
  private CompletableFuture<Void> runExclusively(
      RangeId id, Supplier<CompletableFuture<Void>> change) {
    if (!changing.add(id)) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("another change of range " + id + " is in progress"));
    }
    try {
      return change.get().whenComplete((done, failure) -> changing.remove(id));
    } catch (RuntimeException e) {
      changing.remove(id);
      return CompletableFuture.failedFuture(e);
    }
  }

  private @Nullable Consensus group(RangeId id) {
    SupervisedReplica replica = replicas.get(id);
    return replica == null ? null : replica.group();
  }

  private static IllegalStateException replicasChanged(
      RangeId id, ReplicaSet expected, ReplicaSet found) {
    return new IllegalStateException(
        "replicas of range " + id + " changed: expected " + expected + ", found " + found);
  }

  private IllegalStateException replicaNotOpen(RangeId id) {
    return new IllegalStateException("node " + self + " has no open replica of range " + id);
  }
}
