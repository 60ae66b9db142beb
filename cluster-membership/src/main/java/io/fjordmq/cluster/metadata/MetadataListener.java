package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.consensus.ConsensusException;
import java.util.List;

/**
 * Follows this node's replica of the metadata. Called in order, by one thread at a time; must not
 * block. An exception halts the replica.
 */
public interface MetadataListener {
  /**
   * The metadata changed. The first call brings everything there is.
   *
   * @param view everything
   * @param updates what is new since the last call, in the order of the keys; may skip versions
   */
  void changed(MetadataView view, List<MetadataUpdate> updates);

  /** This replica leads from now on; the view has everything earlier leaders wrote. */
  default void leading(long term) {}

  /** This replica no longer leads. */
  default void following() {}

  /** This replica failed and learns nothing new until the node is restarted. */
  default void halted(ConsensusException cause) {}
}
