package io.fjordmq.cluster.consensus;

/** The proposer's handle of one proposed entry; returned in {@link CommittedEntry#proposal}. */
public interface Proposal {
  /**
   * Called if {@link ReplicatedState#apply} will not receive this object. The cause indicates
   * whether the entry may still be committed. Must not block.
   */
  void onFailed(ConsensusException cause);
}
