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
 * The steps by which two neighbouring ranges become one (decision 0028): the right one is frozen;
 * when every replica of both {@linkplain ReplicaStatus.Merging#durable() says so}, the left one
 * absorbs it. To give up, the left one is renewed, then the right one thawed.
 *
 * <p>Each step is done by the leader of its range, which must be here, and completes when that has
 * applied it durably; {@link #bury} is for any node. All fail with {@link IllegalArgumentException}
 * for ranges that are no neighbours, {@link IllegalStateException} or {@link ConsensusException} if
 * it was not done, or may not have been; repeating one, or being late with it, does no harm.
 * Thread-safe; does not block.
 */
public final class RangeMerges {
  private final ReplicaMoves moves;

  RangeMerges(ReplicaMoves moves) {
    this.moves = moves;
  }

  /** From now on nothing in the right range is changed, nor read. */
  public CompletableFuture<Void> freeze(RangeDescriptor right, RangeDescriptor left) {
    return areNeighbours(left, right)
        ? moves.reshape(
            right.id(),
            null,
            RangeEntry.encodeFreeze(version(right), left.id().number(), version(left)))
        : refused(left, right);
  }

  /**
   * The left range takes in the right one.
   *
   * @param replicas of both, each of which has said that the right one is frozen for the left one
   *     as it is described
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

  /** At their versions, which is all that the entries say. */
  private static boolean areNeighbours(RangeDescriptor left, RangeDescriptor right) {
    return Arrays.equals(left.interval().end(), right.interval().start());
  }

  private static CompletableFuture<Void> refused(RangeDescriptor left, RangeDescriptor right) {
    return CompletableFuture.failedFuture(
        new IllegalArgumentException(
            "range %s %s does not follow %s %s"
                .formatted(right.id(), right.interval(), left.id(), left.interval())));
  }

  /** As the range is described it absorbs nothing any more; if it has not done so yet. */
  public CompletableFuture<Void> renew(RangeDescriptor left) {
    return moves.reshape(left.id(), null, RangeEntry.encodeRenew(version(left)));
  }

  /**
   * A frozen range goes on. Fails if its left neighbour, as far as this node has it, has not been
   * renewed or split since, or has absorbed it.
   */
  public CompletableFuture<Void> thaw(RangeId right) {
    return moves.thaw(right);
  }

  /**
   * Closes and removes for ever what this node has of a range that became part of others, where it
   * has no part in that: nobody will miss it. Does nothing if there is nothing. Fails with {@link
   * java.io.IOException} too.
   *
   * @param heirs who has its keys now; as long as one of them is here, what stands still may be
   *     what that one takes in
   */
  public CompletableFuture<Void> bury(RangeId range, Set<RangeId> heirs) {
    return moves.bury(range, heirs);
  }

  private static long version(RangeDescriptor range) {
    return range.epoch().version();
  }
}
