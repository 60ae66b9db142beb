package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.Kv;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds replicas to this node, removes them, and changes their groups. Blocking disk work runs on
 * the supervisor, one task after the other; all methods may be called from any thread.
 */
final class ReplicaChanges {
  private final NodeId self;
  private final StoredReplicas stored;
  private final Map<RangeId, SupervisedReplica> replicas;
  private final UndecidedMerges merges;
  private final Executor supervisor;
  private final Opener opener;
  private final RebuildLimit rebuildLimit;
  private final Kv kv;
  private final Set<RangeId> changing = ConcurrentHashMap.newKeySet();
  private final Set<RangeId> retired = ConcurrentHashMap.newKeySet();

  /** Used by the supervisor thread. */
  private boolean stopped;

  /** Opens a replica that is on disk and keeps it open. */
  @FunctionalInterface
  interface Opener {
    void open(RangeDescriptor range) throws IOException;
  }

  /**
   * @param replicas kept open
   */
  ReplicaChanges(
      NodeId self,
      StoredReplicas stored,
      Kv kv,
      Map<RangeId, SupervisedReplica> replicas,
      Executor supervisor,
      RebuildLimit rebuildLimit,
      Opener opener) {
    this.self = self;
    this.stored = stored;
    this.kv = kv;
    this.replicas = replicas;
    this.merges = new UndecidedMerges(stored, replicas);
    this.supervisor = supervisor;
    this.opener = opener;
    this.rebuildLimit = rebuildLimit;
  }

  /** Sets the ranges whose replica was removed before this start. */
  void retire(Collection<RangeId> ranges) {
    retired.addAll(ranges);
  }

  Set<RangeId> retired() {
    return Set.copyOf(retired);
  }

  CompletableFuture<Void> ensure(RangeDescriptor range) {
    return supervised(
        () -> {
          if (replicas.containsKey(range.id())) {
            return;
          }
          requireNotMember(range);
          requireNoOverlap(range);
          stored.clean(range);
          RangeDescriptor here = stored.find(range.id());
          if (here == null) {
            stored.createEmpty(range);
          }
          stored.flush();
          open(here == null ? range : here);
        });
  }

  private void open(RangeDescriptor range) throws IOException {
    try {
      opener.open(range);
    } catch (IOException | RuntimeException e) {
      replicas.remove(range.id());
      throw e;
    }
  }

  /**
   * Opens a replica that another one has created durably; does nothing if it is open or removed.
   *
   * @param lead whether the replica should campaign for leadership
   */
  CompletableFuture<Void> adopt(RangeId id, boolean lead) {
    return supervised(
        () -> {
          RangeDescriptor range = stored.find(id);
          if (range == null || replicas.containsKey(id)) {
            return;
          }
          open(range);
          Consensus group = group(id);
          if (lead && group != null) {
            group.campaign();
          }
        });
  }

  private void requireNotMember(RangeDescriptor range) {
    if (range.replicas().voters().contains(self) || range.replicas().learners().contains(self)) {
      throw new IllegalArgumentException(
          "range "
              + range.id()
              + " counts a replica on "
              + self
              + " that is missing from its data directory: part of it was lost;"
              + " start this node with an empty data directory to join as a new node, then remove"
              + " this one from the cluster");
    }
  }

  private void requireNoOverlap(RangeDescriptor range) {
    for (SupervisedReplica replica : replicas.values()) {
      RangeDescriptor other = replica.descriptor();
      if (other.id().store().equals(range.id().store())
          && other.interval().overlaps(range.interval())) {
        throw new IllegalArgumentException(
            "range " + range.id() + " holds keys of range " + other.id() + " of this node");
      }
    }
  }

  CompletableFuture<Void> drop(RangeId id, long asOfIndex) {
    return remove(id, replica -> refuseIfNeeded(replica, asOfIndex));
  }

  CompletableFuture<Void> removeStaleReplica(RangeId id, Set<RangeId> heirs) {
    return remove(id, replica -> refuseIfAwaited(replica, heirs));
  }

  /**
   * @param refuse throws if the replica must not be removed
   */
  private CompletableFuture<Void> remove(RangeId id, Consumer<ReplicaStatus> refuse) {
    return supervised(
        () -> {
          SupervisedReplica replica = replicas.get(id);
          if (replica != null) {
            ReplicaStatus status = replica.status();
            refuse.accept(status);
            stored.beginRemoval(id);
            replicas.remove(id);
            replica.close();
            if (status.broken()) {
              rebuildLimit.onRebuildStarted(id);
            }
          }
          if (stored.finishRemoval(id)) {
            retired.add(id);
          }
        });
  }

  /** A frozen replica may still be needed by the range that absorbs it, or by its snapshot. */
  private void refuseIfAwaited(ReplicaStatus replica, Set<RangeId> heirs) {
    RangeId id = replica.descriptor().id();
    boolean replaced = merges.isFrozen(id) && heirs.stream().anyMatch(replicas::containsKey);
    if (replica.leading() || replaced || merges.neighbour(id) != null) {
      throw new IllegalStateException(
          "the replica of " + id + " is still needed here for its merge");
    }
  }

  private void refuseIfNeeded(ReplicaStatus replica, long asOfIndex) {
    RangeId left = merges.neighbour(replica.descriptor().id());
    if (left != null) {
      throw new IllegalStateException(
          "range %s is being merged with %s, which needs the replica of this node"
              .formatted(replica.descriptor().id(), left));
    }
    boolean member = replica.role() != ReplicaStatus.Role.NONE;
    if (replica.leading() || (member && replica.appliedIndex() > asOfIndex)) {
      throw new IllegalStateException(
          "the group of range %s counts this node at index %d, after %d: its replica is not removed"
              .formatted(replica.descriptor().id(), replica.appliedIndex(), asOfIndex));
    }
  }

  CompletableFuture<Void> forget(RangeId id) {
    return supervised(
        () -> {
          stored.forget(id);
          retired.remove(id);
        });
  }

  CompletableFuture<Void> change(RangeId id, ReplicaSet from, ReplicaSet to) {
    Consensus group = group(id);
    if (group == null) {
      return CompletableFuture.failedFuture(notHere(id));
    }
    return serially(
        id,
        () -> {
          ReplicaSet now = group.status().replicas();
          return now.equals(from)
              ? group.changeReplicas(to)
              : CompletableFuture.failedFuture(
                  new IllegalStateException("range " + id + " has " + now + ", not " + from));
        });
  }

  /** Runs one change of a range's group or shape at a time, as far as this leader is concerned. */
  private CompletableFuture<Void> serially(RangeId id, Supplier<CompletableFuture<Void>> change) {
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

  CompletableFuture<Void> split(RangeId id, long epochVersion, byte[] key, long number) {
    SupervisedReplica supervised = replicas.get(id);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    Consensus group = group(id);
    if (replica == null || group == null) {
      return CompletableFuture.failedFuture(notHere(id));
    }
    return serially(
        id,
        () -> {
          GroupStatus now = group.status();
          RangeEntry.Split split =
              new RangeEntry.Split(0, epochVersion, number, key, now.replicas());
          if (RangeSplit.plan(replica.descriptor(), split) == null) {
            throw new IllegalArgumentException(
                "range %s cannot be split at this key: it holds %s, version %d"
                    .formatted(
                        id,
                        replica.descriptor().interval(),
                        replica.descriptor().epoch().version()));
          } else if (stored.isAbsorbed(new RangeId(id.store(), number))) {
            throw new IllegalArgumentException(
                "range number %d of store %s was used before".formatted(number, id.store()));
          } else if (!isLogCut(now)) {
            throw new IllegalStateException(
                "the log of range %s still has its first entry; split it after a checkpoint or two"
                    .formatted(id));
          }
          // Later changes, above all of the group, must find the split on this disk.
          return propose(replica, encoded(split)).thenCompose(done -> kv.flush());
        });
  }

  /**
   * Only a range created by an earlier version starts with entry 1. A replica without the rows that
   * a new range inherits could start there, and its log alone would look complete (decision 0025).
   */
  static boolean isLogCut(GroupStatus group) {
    return group.firstIndex() > 1;
  }

  private static byte[] encoded(RangeEntry.Split split) {
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
   * Applies an entry that changes the range, while its group stays the same; durable here when it
   * completes.
   *
   * @param replicas required members of the group; null for any
   */
  CompletableFuture<Void> reshape(RangeId id, @Nullable ReplicaSet replicas, byte[] entry) {
    SupervisedReplica supervised = this.replicas.get(id);
    RangeReplica replica = supervised == null ? null : supervised.replica();
    Consensus group = group(id);
    if (replica == null || group == null) {
      return CompletableFuture.failedFuture(notHere(id));
    }
    return serially(
        id,
        () -> {
          ReplicaSet now = group.status().replicas();
          return replicas == null || replicas.equals(now)
              ? propose(replica, entry).thenCompose(done -> kv.flush())
              : CompletableFuture.failedFuture(
                  new IllegalStateException("range " + id + " has " + now + ", not " + replicas));
        });
  }

  CompletableFuture<Void> unfreeze(RangeId id) {
    SupervisedReplica right = replicas.get(id);
    ReplicaStatus.Merging merging = right == null ? null : right.status().merging();
    if (merging == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("range " + id + " is not frozen here"));
    }
    RangeDescriptor range = merges.givenUp(id, merging);
    return range != null
        ? reshape(id, null, RangeEntry.encodeUnfreeze(range.epoch().version()))
        : CompletableFuture.failedFuture(
            new IllegalStateException(
                "range %s may still be absorbed by %s, which has to be renewed first"
                    .formatted(id, merging.left())));
  }

  /** Closes and removes the replica of a range that was durably merged into another one here. */
  CompletableFuture<Void> absorbed(RangeId id) {
    return supervised(
        () -> {
          SupervisedReplica replica = replicas.remove(id);
          if (replica != null) {
            replica.close();
          }
          stored.finishAbsorption(id);
        });
  }

  CompletableFuture<Void> transfer(RangeId id, NodeId target) {
    Consensus group = group(id);
    return group == null
        ? CompletableFuture.failedFuture(notHere(id))
        : group.transferLeadership(target);
  }

  private @Nullable Consensus group(RangeId id) {
    SupervisedReplica replica = replicas.get(id);
    return replica == null ? null : replica.group();
  }

  private IllegalStateException notHere(RangeId id) {
    return new IllegalStateException("node " + self + " has no open replica of range " + id);
  }

  /** A task that may fail on the disk. */
  private interface DiskTask {
    void run() throws IOException;
  }

  private CompletableFuture<Void> supervised(DiskTask task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    supervisor.execute(
        () -> {
          try {
            if (stopped) {
              throw new IOException("the ranges of node " + self + " are closed");
            }
            task.run();
            done.complete(null);
          } catch (IOException | RuntimeException e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  /** Rejects all further tasks. Call it on the supervisor. */
  void stop() {
    stopped = true;
  }
}
