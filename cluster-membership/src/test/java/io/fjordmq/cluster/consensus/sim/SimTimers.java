package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.common.Timers;
import io.fjordmq.testing.Simulation;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * Timers in simulated time.
 *
 * @param clock the monotonic clock in milliseconds
 * @param scheduler runs a task after a delay in milliseconds
 */
public record SimTimers(LongSupplier clock, ObjLongConsumer<Runnable> scheduler) implements Timers {

  /** Timers that end with the process. */
  public static SimTimers of(SimProcess process) {
    return of(process, process.simulation()::now);
  }

  /** Timers that end with the process and whose clock may be wrong. */
  public static SimTimers of(SimProcess process, LongSupplier clock) {
    return new SimTimers(clock, (task, delayMillis) -> process.schedule(delayMillis, task));
  }

  /** Timers that belong to no process. */
  public static SimTimers of(Simulation simulation) {
    return new SimTimers(
        simulation::now, (task, delayMillis) -> simulation.schedule(delayMillis, task));
  }

  @Override
  public long nowMillis() {
    return clock.getAsLong();
  }

  @Override
  public void schedule(long delayMillis, Runnable task) {
    scheduler.accept(task, delayMillis);
  }
}
