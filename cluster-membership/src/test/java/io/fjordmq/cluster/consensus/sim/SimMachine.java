package io.fjordmq.cluster.consensus.sim;

import java.time.InstantSource;

/**
 * The machine under a node, with its two clocks: anybody may set the wall clock, and the monotonic
 * one stands still while the machine is suspended. Outlives the processes that run on it.
 */
public final class SimMachine {
  private final Simulation simulation;
  private long aheadMillis;
  private long lostMillis;
  private long suspendedFrom;
  private long suspendedUntil;

  SimMachine(Simulation simulation) {
    this.simulation = simulation;
  }

  /** Somebody sets the wall clock forward or, if negative, back. */
  public void jump(long millis) {
    aheadMillis += millis;
  }

  /** Somebody sets the wall clock right. */
  public void correct() {
    aheadMillis = 0;
  }

  /** The machine is suspended, and with it what runs on it. */
  public void suspend(SimProcess process, long millis) {
    lostMillis = simulation.now() - monotonicMillis();
    suspendedFrom = simulation.now();
    suspendedUntil = suspendedFrom + millis;
    process.pause(millis);
  }

  public InstantSource wall() {
    return () -> simulation.clock().instant().plusMillis(aheadMillis);
  }

  public long monotonicMillis() {
    long now = simulation.now();
    return now - lostMillis - Math.max(0, Math.min(now, suspendedUntil) - suspendedFrom);
  }
}
