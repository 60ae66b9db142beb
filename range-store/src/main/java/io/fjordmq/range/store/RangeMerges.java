package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeId;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The steps that merge two neighbouring ranges (decision 0028): the right one is frozen; when every
 * replica of both {@linkplain ReplicaStatus.Merging#durable() reports it as durably frozen}, the
 * left one absorbs it. To give up, the left one is renewed, then the right one is unfrozen.
 *
 * <p>Each step is taken by the leader of its range, which must be on this node, and completes when
 * the leader has applied it durably; {@link #bury} can be called on any node. All fail with {@link
 * IllegalArgumentException} for ranges that are not neighbours, and with {@link
 * IllegalStateException} or {@link ConsensusException} if the step was not taken or its outcome is
 * unknown; a repeated or late step does no harm. Thread-safe; does not block.
 */
public final class RangeMerges {
  private final ReplicaChanges moves;

  RangeMerges(ReplicaChanges moves) {
    this.moves = moves;
  }

  /** Freezes the right range: it no longer accepts commands or queries. */
  public CompletableFuture<Void> freeze(RangeDescriptor right, RangeDescriptor left) {
    return areNeighbours(left, right)
        ? moves.reshape(
            right.id(),
            null,
            RangeEntry.encodeFreeze(version(right), left.id().number(), version(left)))
        : refused(left, right);
  }

  /**
   * Lets the left range absorb the right one.
   *
   * @param replicas replicas of both ranges, all of which have reported the right one as frozen for
   *     the left one as described
   */
  public CompletableFuture<Void> absorb(
      RangeDescriptor left, RangeDescriptor right, ReplicaSet replicas) {
    return areNeighbours(left, right)
        ? moves.reshape(
            left.id(),
            replicas,
            RangeEntry.encodeAbsorb(version(left), right.id().number(), version(right)))
        : refused(left, right);
  }

  /** Compared at these versions, which is all that the entries contain. */
  private static boolean areNeighbours(RangeDescriptor left, RangeDescriptor right) {
    return Arrays.equals(left.interval().end(), right.interval().start());
  }

  private static CompletableFuture<Void> refused(RangeDescriptor left, RangeDescriptor right) {
    return CompletableFuture.failedFuture(
        new IllegalArgumentException(
            "range %s %s is not the right neighbour of %s %s"
                .formatted(right.id(), right.interval(), left.id(), left.interval())));
  }

  /**
   * Raises the version of the left range, so that it can no longer absorb the right one, unless it
   * has already done so.
   */
  public CompletableFuture<Void> renew(RangeDescriptor left) {
    return moves.reshape(left.id(), null, RangeEntry.encodeRenew(version(left)));
  }

  /**
   * Unfreezes a range. Fails if its left neighbour, according to this node's replica, has not been
   * renewed or split since, or has absorbed it.
   */
  public CompletableFuture<Void> unfreeze(RangeId right) {
    return moves.unfreeze(right);
  }

  /**
   * Closes and permanently removes this node's stale replica of a range that was merged into
   * others, if the replica is not needed for that merge. Does nothing if there is none. Also fails
   * with {@link java.io.IOException}.
   *
   * @param heirs the ranges that hold its keys now; while one of them is here, it may still have to
   *     absorb the frozen replica
   */
  public CompletableFuture<Void> removeStaleReplica(RangeId range, Set<RangeId> heirs) {
    return moves.removeStaleReplica(range, heirs);
  }

  private static long version(RangeDescriptor range) {
    return range.epoch().version();
  }
}
