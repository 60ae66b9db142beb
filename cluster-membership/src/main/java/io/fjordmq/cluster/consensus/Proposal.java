package io.fjordmq.cluster.consensus;

/** The proposer's side of one offered entry; comes back in {@link CommittedEntry#proposal}. */
public interface Proposal {
  /**
   * The entry will not be handed to {@link ReplicatedState#apply} with this object. Must not block.
   */
  void failed(ConsensusException cause);
}
