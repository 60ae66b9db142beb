package io.fjordmq.range.store;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which merges may still be done on this node: a range that stands still is needed here as long as
 * its left neighbour, as this node has it, may take it in. By what is here, since that is where the
 * decision stands. Thread-safe.
 */
final class AwaitedMerges {
  private final StoredReplicas stored;
  private final Map<RangeId, SupervisedReplica> replicas;

  /**
   * @param replicas those that are kept open
   */
  AwaitedMerges(StoredReplicas stored, Map<RangeId, SupervisedReplica> replicas) {
    this.stored = stored;
    this.replicas = replicas;
  }

  /** Whether the range stands still here, for whatever merge. */
  boolean isFrozen(RangeId id) {
    return stored.frozen(id) != null;
  }

  /**
   * Who may still take the range in here; null if nobody will. A replica that left its group while
   * it stood still never hears that it goes on: what it was frozen for may be long over.
   */
  @Nullable RangeId neighbour(RangeId id) {
    FreezeRecord freezeRecord = stored.frozen(id); // on the disk: the replica may be closed
    if (freezeRecord == null) {
      return null;
    }
    RangeId left = new RangeId(id.store(), freezeRecord.left());
    // Who is not here gets a copy, and none from before the merge without this range.
    boolean over = stored.find(left) == null || cannotAbsorb(left, freezeRecord.leftVersion());
    return over && stored.find(id) != null ? null : left;
  }

  /**
   * What the range that stands still here was when its neighbour could not take it in any more;
   * null if that still can, or has done so.
   */
  @Nullable RangeDescriptor givenUp(RangeId id, ReplicaStatus.Merging merging) {
    // The neighbour first: if it has taken the range in, the range's rows were gone before that.
    return cannotAbsorb(merging.left(), merging.leftVersion()) ? stored.find(id) : null;
  }

  /** Whether a range has another version by now, or is part of another one itself. */
  private boolean cannotAbsorb(RangeId id, long atVersion) {
    SupervisedReplica replica = replicas.get(id);
    ReplicaStatus status = replica == null ? null : replica.status();
    return stored.isAbsorbed(id)
        || (status != null
            && status.appliedIndex() > 0
            && status.descriptor().epoch().version() > atVersion);
  }
}
