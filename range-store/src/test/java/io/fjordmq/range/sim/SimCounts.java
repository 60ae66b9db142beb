package io.fjordmq.range.sim;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;

/** Counts events of the runs, to check that the runs encountered the intended faults. */
public final class SimCounts implements RangeObserver {
  public long acknowledgements;
  public long retries;
  public long redirects;
  public long duplicates;
  public long evictedSenders;
  public long abandonedBatches;
  public long halts;
  public long rejectedCommands;
  public long installs;
  public long removals;
  public long staleReadChecks;
  public long splits;
  public long merges;
  public long abandonedMerges;
  public long unfreezes;

  /** Merges and voter moves that an operator canceled. */
  public long canceledChanges;

  /** Ranges that kept their replicas because an operator canceled a change. */
  public long heldRanges;

  /** Ranges that an operator pinned to nodes. */
  public long pins;

  /** Ranges that were split off because of load. */
  public long loadSplits;

  /** Ranges at the end that were split off because their parent was too large. */
  public long sizeSplits;

  /** Checks at which nothing was left to do except to move voters because of load. */
  public long unevenChecks;

  /** Replicas that were damaged. */
  public long damagedReplicas;

  /** Damaged replicas that were replaced. */
  public long rebuilds;

  void onInstalled() {
    installs++;
  }

  @Override
  public void onSplit(RangeId range, RangeId other) {
    splits++;
  }

  @Override
  public void onMerge(RangeId range, RangeId other) {
    merges++;
  }

  @Override
  public void onRetry(RangeId range, String reason) {
    retries++;
  }

  @Override
  public void onRedirect(RangeId range) {
    redirects++;
  }

  @Override
  public void onDuplicate(RangeId range) {
    duplicates++;
  }

  @Override
  public void onSenderEvicted(RangeId range) {
    evictedSenders++;
  }

  @Override
  public void onGiveUp(RangeId range) {
    abandonedBatches++;
  }

  @Override
  public void onHalted(RangeId range) {
    halts++;
  }

  @Override
  public void onBusy(RangeId range) {
    rejectedCommands++;
  }
}
