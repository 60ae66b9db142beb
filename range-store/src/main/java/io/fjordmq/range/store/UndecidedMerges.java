package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the merges that may still happen on this node. A frozen range must stay on this node as
 * long as its left neighbor may absorb it, judged by the neighbor's replica on this node, because
 * that is where the merge is applied. Thread-safe.
 */
final class UndecidedMerges {
  private final StoredReplicas stored;
  private final Map<RangeId, SupervisedReplica> replicas;

  /**
   * @param replicas the replicas that this node keeps open
   */
  UndecidedMerges(StoredReplicas stored, Map<RangeId, SupervisedReplica> replicas) {
    this.stored = stored;
    this.replicas = replicas;
  }

  /** Returns whether the range is frozen on this node, for any merge. */
  boolean isFrozen(RangeId id) {
    return stored.frozen(id) != null;
  }

  /**
   * Returns the range that may still absorb this one on this node; null if there is none. A replica
   * that left its group while it was frozen never learns that it was unfrozen: its merge may be
   * long over.
   */
  @Nullable RangeId neighbor(RangeId id) {
    FreezeRecord freezeRecord = stored.frozen(id); // from the disk: the replica may be closed
    if (freezeRecord == null) {
      return null;
    }
    RangeId left = new RangeId(id.store(), freezeRecord.left());
    // A neighbor without a replica on this node would start from a snapshot. It accepts one from
    // before the merge only if this node has the frozen range.
    boolean decided = stored.find(left) == null || cannotAbsorb(left, freezeRecord.leftVersion());
    return decided && stored.find(id) != null ? null : left;
  }

  /**
   * Returns the descriptor of a frozen range, if its neighbor can no longer absorb it; null if the
   * neighbor still can, or has done so.
   */
  @Nullable RangeDescriptor findAbandoned(RangeId id, ReplicaStatus.Merging merging) {
    // Check the neighbor first: if it has absorbed the range, the range's rows are already gone.
    return cannotAbsorb(merging.left(), merging.leftVersion()) ? stored.find(id) : null;
  }

  /** Returns whether a range has a newer version, or was itself merged into another range. */
  private boolean cannotAbsorb(RangeId id, long atVersion) {
    SupervisedReplica replica = replicas.get(id);
    ReplicaStatus status = replica == null ? null : replica.status();
    return stored.isAbsorbed(id)
        || (status != null
            && status.appliedIndex() > 0
            && status.descriptor().epoch().version() > atVersion);
  }
}
