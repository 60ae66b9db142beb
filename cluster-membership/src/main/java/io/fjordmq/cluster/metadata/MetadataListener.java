package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.consensus.ConsensusException;
import java.util.List;

/**
 * Receives changes of this node's replica of the metadata. Calls are ordered and never concurrent;
 * they must not block. An exception halts the replica.
 */
public interface MetadataListener {
  /**
   * Called when the metadata has changed. The first call passes all existing records.
   *
   * @param view the complete state
   * @param updates changes since the last call, in key order; intermediate versions may be skipped
   */
  void onChanged(MetadataView view, List<MetadataUpdate> updates);

  /**
   * Called when this replica becomes leader; the view includes everything that earlier leaders
   * wrote.
   */
  default void onLeaderStart(long term) {}

  /** Called when this replica no longer leads. */
  default void onLeaderStop() {}

  /**
   * Called when this replica has halted. The listener receives no changes until the replica is
   * reopened, or until the node is restarted if the log was not the cause.
   */
  default void onHalted(ConsensusException cause) {}
}
