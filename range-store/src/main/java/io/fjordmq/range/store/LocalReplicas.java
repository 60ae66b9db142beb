package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Adds replicas to this node and removes them. Tasks run on the supervisor thread, one at a time,
 * because they block on the disk. Thread-safe; does not block.
 */
public final class LocalReplicas {
  private final NodeId self;
  private final StoredReplicas stored;
  private final Map<RangeId, SupervisedReplica> replicas;
  private final UndecidedMerges merges;
  private final Executor supervisor;
  private final Opener opener;
  private final RebuildLimit rebuildLimit;
  private final Set<RangeId> retired = ConcurrentHashMap.newKeySet();

  /** Used by the supervisor thread. */
  private boolean stopped;

  /** Opens a replica that is on disk and keeps it open. */
  @FunctionalInterface
  interface Opener {
    void open(RangeDescriptor range) throws IOException;
  }

  /**
   * @param replicas the replicas that this node keeps open; updated by this class
   */
  LocalReplicas(
      NodeId self,
      StoredReplicas stored,
      UndecidedMerges merges,
      Map<RangeId, SupervisedReplica> replicas,
      Executor supervisor,
      RebuildLimit rebuildLimit,
      Opener opener) {
    this.self = self;
    this.stored = stored;
    this.merges = merges;
    this.replicas = replicas;
    this.supervisor = supervisor;
    this.opener = opener;
    this.rebuildLimit = rebuildLimit;
  }

  /** Sets the ranges whose replica was removed before this start. */
  void addRetired(Collection<RangeId> ranges) {
    retired.addAll(ranges);
  }

  /**
   * Returns the ranges whose replica was removed from this node. They cannot get a new one until
   * {@link #forget} is called.
   */
  public Set<RangeId> retired() {
    return Set.copyOf(retired);
  }

  /**
   * Creates and opens an empty replica, which votes for others but cannot be elected until the
   * group adds this node and brings it up to date. Does nothing if there is a replica. Fails with
   * {@link IOException}, {@link IllegalArgumentException} or {@link IllegalStateException}.
   *
   * @param range descriptor with the replicas that the group has now, without this node: a replica
   *     that the group already counts must return with its log, not start again without it
   */
  public CompletableFuture<Void> ensure(RangeDescriptor range) {
    return runOnSupervisor(
        () -> {
          if (replicas.containsKey(range.id())) {
            return;
          }
          requireNotMember(range);
          requireNoOverlap(range);
          stored.removeRemnants(range);
          RangeDescriptor existing = stored.find(range.id());
          if (existing == null) {
            stored.createEmpty(range);
          }
          stored.flush();
          open(existing == null ? range : existing);
        });
  }

  private void open(RangeDescriptor range) throws IOException {
    try {
      opener.open(range);
    } catch (IOException | RuntimeException | Error e) {
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
    return runOnSupervisor(
        () -> {
          RangeDescriptor range = stored.find(id);
          if (range == null || replicas.containsKey(id)) {
            return;
          }
          open(range);
          SupervisedReplica opened = replicas.get(id);
          Consensus group = opened == null ? null : opened.group();
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
              + " lists node "
              + self
              + " as a member, but the data directory of that node has no replica: part of"
              + " the directory was lost; start the node with an empty data directory to join as a"
              + " new node, then remove node "
              + self
              + " from the cluster");
    }
  }

  private void requireNoOverlap(RangeDescriptor range) {
    for (SupervisedReplica replica : replicas.values()) {
      RangeDescriptor other = replica.descriptor();
      if (other.id().store().equals(range.id().store())
          && other.interval().overlaps(range.interval())) {
        throw new IllegalArgumentException(
            "cannot create range "
                + range.id()
                + ": it overlaps range "
                + other.id()
                + " on this node");
      }
    }
  }

  /**
   * Closes a replica and removes its log and rows; its range is then {@link #retired} on this node.
   * Does nothing if there is none. Fails with {@link IOException}, or {@link IllegalStateException}
   * if this node knows that the replica is needed.
   *
   * @param asOfIndex log index as of which the group no longer counts this node
   */
  public CompletableFuture<Void> drop(RangeId id, long asOfIndex) {
    return remove(id, replica -> requireNotNeeded(replica, asOfIndex));
  }

  /** See {@link RangeMerges#removeStaleReplica}. */
  CompletableFuture<Void> removeStaleReplica(RangeId id, Set<RangeId> successors) {
    return remove(id, replica -> requireNoPendingMerge(replica, successors));
  }

  /**
   * @param check throws if the replica must not be removed
   */
  private CompletableFuture<Void> remove(RangeId id, Consumer<ReplicaStatus> check) {
    return runOnSupervisor(
        () -> {
          SupervisedReplica replica = replicas.get(id);
          if (replica != null) {
            ReplicaStatus status = replica.status();
            check.accept(status);
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

  /**
   * Checks that no merge needs the replica. The range that absorbs a frozen replica, or a snapshot
   * of that range, may still need it.
   */
  private void requireNoPendingMerge(ReplicaStatus replica, Set<RangeId> successors) {
    RangeId id = replica.descriptor().id();
    boolean replaced = merges.isFrozen(id) && successors.stream().anyMatch(replicas::containsKey);
    if (replica.leading() || replaced || merges.neighbor(id) != null) {
      throw new IllegalStateException(
          "cannot remove the replica of range " + id + ": a merge on this node still needs it");
    }
  }

  private void requireNotNeeded(ReplicaStatus replica, long asOfIndex) {
    RangeId left = merges.neighbor(replica.descriptor().id());
    if (left != null) {
      throw new IllegalStateException(
          "cannot remove the replica of range %s: it is being merged with %s"
              .formatted(replica.descriptor().id(), left));
    }
    boolean member = replica.role() != ReplicaStatus.Role.NONE;
    if (replica.leading() || (member && replica.appliedIndex() > asOfIndex)) {
      throw new IllegalStateException(
          ("cannot remove the replica of range %s: it is the leader, or was still a member at "
                  + "applied index %d (removal requested as of index %d)")
              .formatted(replica.descriptor().id(), replica.appliedIndex(), asOfIndex));
    }
  }

  /**
   * Allows this node to have a replica of the range again, because no other replica still counts
   * the old one as a member. Does nothing if none was dropped. Fails with {@link IOException}.
   */
  public CompletableFuture<Void> forget(RangeId id) {
    return runOnSupervisor(
        () -> {
          stored.forget(id);
          retired.remove(id);
        });
  }

  /**
   * Closes and removes the replica of a range that was durably merged into another one on this
   * node.
   */
  CompletableFuture<Void> onAbsorbed(RangeId id) {
    return runOnSupervisor(
        () -> {
          SupervisedReplica replica = replicas.remove(id);
          if (replica != null) {
            replica.close();
          }
          stored.finishAbsorption(id);
        });
  }

  /** A task that may fail on the disk. */
  private interface DiskTask {
    void run() throws IOException;
  }

  private CompletableFuture<Void> runOnSupervisor(DiskTask task) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    supervisor.execute(
        () -> {
          try {
            if (stopped) {
              throw new IOException("the range store of node " + self + " is closed");
            }
            task.run();
            done.complete(null);
          } catch (IOException | RuntimeException | Error e) {
            done.completeExceptionally(e); // the caller waits for the result, and may retry
          }
        });
    return done;
  }

  /** Rejects all further tasks. Must be called on the supervisor thread. */
  void stop() {
    stopped = true;
  }
}
