package io.fjordmq.broker.limits;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the checks of an {@link OverloadGuard} on a dedicated thread, so that no other work delays
 * them.
 */
public final class OverloadWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OverloadWatch.class);

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "overload-guard"));

  private final OverloadGuard guard;
  private final Supplier<OverloadReading> readings;
  private final Runnable disconnectStuckClients;
  private final GcRequests collections;

  /**
   * Starts checking this process.
   *
   * @param loops the event loops that serve clients
   * @param disconnectStuckClients disconnects clients that have not read since the previous call
   */
  public static OverloadWatch start(
      OverloadGuard guard,
      OverloadSettings settings,
      Iterable<? extends Executor> loops,
      Runnable disconnectStuckClients) {
    MemoryInUse memory = new MemoryInUse();
    LoopLag lag = new LoopLag(loops, System::nanoTime);
    return new OverloadWatch(
        guard,
        settings,
        () -> new OverloadReading(memory.heapPercent(), memory.directPercent(), lag.maxMillis()),
        disconnectStuckClients,
        new GcRequests(
            settings.stuckAfter().toMillis(),
            () -> System.nanoTime() / 1_000_000,
            memory::collectedHeapBytes,
            System::gc));
  }

  /**
   * Starts checking.
   *
   * @param readings supplies a reading; called once per check
   * @param disconnectStuckClients disconnects clients that do not read
   */
  private OverloadWatch(
      OverloadGuard guard,
      OverloadSettings settings,
      Supplier<OverloadReading> readings,
      Runnable disconnectStuckClients,
      GcRequests collections) {
    this.guard = guard;
    this.readings = readings;
    this.disconnectStuckClients = disconnectStuckClients;
    this.collections = collections;
    long millis = settings.checkInterval().toMillis();
    thread.scheduleWithFixedDelay(this::check, millis, millis, TimeUnit.MILLISECONDS);
  }

  private void check() {
    try {
      if (guard.check(readings.get())) {
        disconnectStuckClients.run();
      }
      collections.check(guard.isOverloadedByHeap());
      guard.countDescriptors();
    } catch (RuntimeException e) {
      LOG.error("Overload check failed; retrying at the next interval", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
