package io.fjordmq.range.placement;

import java.util.Locale;

/** The kind of a placement step, which is also a metric label. */
public enum StepKind {
  /** The metadata got the current replicas or keys of a range. */
  PUBLISH,
  /** A range was split. */
  SPLIT,
  /** A node created an empty replica, so that the group can add it. */
  CREATE_REPLICA,
  /** The members of a group changed: a voter or learner was added, removed or changed its role. */
  CHANGE_REPLICAS,
  /** A leader handed leadership to another voter. */
  TRANSFER_LEADERSHIP,
  /** A node removed a replica that is no longer in its group. */
  REMOVE_REPLICA,
  /** A node may have a new replica after its old one was removed. */
  FORGET_REPLICA,
  /** A range was frozen, so that its left neighbor can absorb it. */
  FREEZE,
  /** A range absorbed its right neighbor. */
  MERGE,
  /** A merge was abandoned. */
  ABANDON_MERGE,
  /** A range was unfrozen after its merge was abandoned. */
  UNFREEZE,
  /** A node removed a stale replica of a range that was merged into others. */
  REMOVE_STALE_REPLICA;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The metric label. */
  public String label() {
    return label;
  }
}
