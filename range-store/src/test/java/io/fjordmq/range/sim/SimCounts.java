package io.fjordmq.range.sim;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;

/** What happened in runs: shows that they met the trouble they are for. */
public final class SimCounts implements RangeObserver {
  public long acknowledgements;
  public long retries;
  public long redirects;
  public long duplicates;
  public long forgotten;
  public long gaveUp;
  public long halts;
  public long refused;
  public long installs;
  public long removals;
  public long probes;
  public long splits;
  public long merges;
  public long mergesGivenUp;
  public long thaws;

  /** Merges, and moves of votes, that an operator has canceled. */
  public long canceled;

  /** Ranges that began where the load of their parents asked for it. */
  public long wishes;

  /** Ranges at the end that began because their parent was too large. */
  public long sizeSplits;

  /** Looks at a cluster in which nothing was left to do but to move votes because of the load. */
  public long uneven;

  /** Replicas that were damaged. */
  public long damages;

  /** Damaged replicas that were replaced. */
  public long rebuilds;

  void installed() {
    installs++;
  }

  @Override
  public void split(RangeId range, RangeId other) {
    splits++;
  }

  @Override
  public void merged(RangeId range, RangeId other) {
    merges++;
  }

  @Override
  public void retried(RangeId range, String reason) {
    retries++;
  }

  @Override
  public void redirected(RangeId range) {
    redirects++;
  }

  @Override
  public void duplicate(RangeId range) {
    duplicates++;
  }

  @Override
  public void senderForgotten(RangeId range) {
    forgotten++;
  }

  @Override
  public void gaveUp(RangeId range) {
    gaveUp++;
  }

  @Override
  public void halted(RangeId range) {
    halts++;
  }

  @Override
  public void refusedBusy(RangeId range) {
    refused++;
  }
}
