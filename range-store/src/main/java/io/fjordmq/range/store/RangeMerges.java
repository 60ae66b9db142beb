package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The steps that merge two neighboring ranges (decision 0028): the right one is frozen; when every
 * replica of both {@linkplain ReplicaStatus.Merging#durable() reports it as durably frozen}, the
 * left one absorbs it. To abandon the merge, the epoch of the left one is raised, then the right
 * one is unfrozen.
 *
 * <p>Each step is taken by the leader of its range, which must be on this node, and completes when
 * the leader has applied it durably; {@link #removeStaleReplica} can be called on any node. All
 * fail with {@link IllegalArgumentException} for ranges that are not neighbors, and with {@link
 * IllegalStateException} or {@link ConsensusException} if the step failed or its outcome is
 * unknown; a repeated or delayed step is harmless. Thread-safe; does not block.
 */
public final class RangeMerges {
  private final Map<RangeId, SupervisedReplica> replicas;
  private final UndecidedMerges undecided;
  private final LeaderOperations leader;
  private final LocalReplicas local;

  /**
   * @param replicas the replicas that this node keeps open
   */
  RangeMerges(
      Map<RangeId, SupervisedReplica> replicas,
      UndecidedMerges undecided,
      LeaderOperations leader,
      LocalReplicas local) {
    this.replicas = replicas;
    this.undecided = undecided;
    this.leader = leader;
    this.local = local;
  }

  /** Freezes the right range: it no longer accepts commands or queries. */
  public CompletableFuture<Void> freeze(RangeDescriptor right, RangeDescriptor left) {
    return areNeighbors(left, right)
        ? leader.changeRange(
            right.id(),
            null,
            RangeEntry.encodeFreeze(epochVersion(right), left.id().number(), epochVersion(left)))
        : notNeighborsFailure(left, right);
  }

  /**
   * Lets the left range absorb the right one.
   *
   * @param replicas replicas of both ranges, all of which have reported the right one as durably
   *     frozen for the left one
   */
  public CompletableFuture<Void> absorb(
      RangeDescriptor left, RangeDescriptor right, ReplicaSet replicas) {
    return areNeighbors(left, right)
        ? leader.changeRange(
            left.id(),
            replicas,
            RangeEntry.encodeAbsorb(epochVersion(left), right.id().number(), epochVersion(right)))
        : notNeighborsFailure(left, right);
  }

  /**
   * Returns whether the ranges are neighbors at these versions. The entries contain nothing but the
   * versions.
   */
  private static boolean areNeighbors(RangeDescriptor left, RangeDescriptor right) {
    return Arrays.equals(left.interval().end(), right.interval().start());
  }

  private static CompletableFuture<Void> notNeighborsFailure(
      RangeDescriptor left, RangeDescriptor right) {
    return CompletableFuture.failedFuture(
        new IllegalArgumentException(
            "cannot merge: range %s %s is not the right neighbor of range %s %s"
                .formatted(right.id(), right.interval(), left.id(), left.interval())));
  }

  /**
   * Raises the version of the left range, so that it can no longer absorb the right one, unless it
   * has already done so.
   */
  public CompletableFuture<Void> bumpEpoch(RangeDescriptor left) {
    return leader.changeRange(left.id(), null, RangeEntry.encodeBumpEpoch(epochVersion(left)));
  }

  /**
   * Unfreezes a range. Fails if its left neighbor, according to this node's replica, still has the
   * epoch version of the merge, or has absorbed the range.
   */
  public CompletableFuture<Void> unfreeze(RangeId id) {
    SupervisedReplica right = replicas.get(id);
    ReplicaStatus.Merging merging = right == null ? null : right.status().merging();
    if (merging == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("range " + id + " is not frozen on this node"));
    }
    RangeDescriptor range = undecided.findAbandoned(id, merging);
    return range != null
        ? leader.changeRange(id, null, RangeEntry.encodeUnfreeze(range.epoch().version()))
        : CompletableFuture.failedFuture(
            new IllegalStateException(
                "cannot unfreeze range %s: range %s may still absorb it; bump the epoch of the absorbing range first"
                    .formatted(id, merging.left())));
  }

  /**
   * Closes and permanently removes this node's stale replica of a range that was merged into
   * others, if the replica is not needed for that merge. Does nothing if there is none. Also fails
   * with {@link java.io.IOException}.
   *
   * @param successors the ranges that hold its keys now; while this node has one of them, that
   *     range may still have to absorb the frozen replica
   */
  public CompletableFuture<Void> removeStaleReplica(RangeId range, Set<RangeId> successors) {
    return local.removeStaleReplica(range, successors);
  }

  private static long epochVersion(RangeDescriptor range) {
    return range.epoch().version();
  }
}
