package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.testing.Simulation;
import java.time.Instant;
import java.time.InstantSource;

/**
 * The machine of a node, with two clocks: the wall clock can be set, and the monotonic clock stops
 * while the machine is suspended. Outlives the processes that run on it.
 */
public final class SimMachine {
  private final Simulation simulation;
  private final InstantSource wall = new Wall();
  private long aheadMillis;
  private long suspendedMillis;
  private long suspendedFrom;
  private long suspendedUntil;

  SimMachine(Simulation simulation) {
    this.simulation = simulation;
  }

  /** Sets the wall clock forward or, if negative, back. */
  public void shiftClock(long millis) {
    aheadMillis += millis;
  }

  /** Corrects the wall clock. */
  public void correctClock() {
    aheadMillis = 0;
  }

  /** Suspends the machine and the process that runs on it. */
  public void suspend(SimProcess process, long millis) {
    suspendedMillis = simulation.now() - monotonicMillis();
    suspendedFrom = simulation.now();
    suspendedUntil = suspendedFrom + millis;
    process.pause(millis);
  }

  public InstantSource wall() {
    return wall;
  }

  public long monotonicMillis() {
    long now = simulation.now();
    return now - suspendedMillis - Math.max(0, Math.min(now, suspendedUntil) - suspendedFrom);
  }

  private final class Wall implements InstantSource {
    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(millis());
    }

    @Override
    public long millis() {
      return simulation.clock().millis() + aheadMillis;
    }
  }
}
