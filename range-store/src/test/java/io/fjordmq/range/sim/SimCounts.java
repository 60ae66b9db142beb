package io.fjordmq.range.sim;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;

/** What happened in runs: shows that they met the trouble they are for. */
final class SimCounts implements RangeObserver {
  long acknowledgements;
  long retries;
  long redirects;
  long duplicates;
  long forgotten;
  long gaveUp;
  long halts;
  long refused;
  long installs;

  void installed() {
    installs++;
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
