package io.fjordmq.common;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Timers whose time advances only when a test says so. Thread-safe. */
public final class ManualTimers implements Timers, InstantSource {
  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(
          Comparator.comparingLong(Task::atMillis).thenComparingLong(Task::sequence));
  private long nowMillis;
  private long wallOffsetMillis;
  private long sequence;

  private record Task(long atMillis, long sequence, Runnable action) {}

  @Override
  public synchronized long nowMillis() {
    return nowMillis;
  }

  /**
   * The wall clock; starts at the beginning of 2030, unless {@link #setWallClock} has changed it.
   */
  @Override
  public synchronized Instant instant() {
    return START.plusMillis(nowMillis + wallOffsetMillis);
  }

  /**
   * Sets the wall clock ahead or back; the monotonic clock is not affected.
   *
   * @param ahead how far it is ahead; zero if it is correct
   */
  public synchronized void setWallClock(Duration ahead) {
    wallOffsetMillis = ahead.toMillis();
  }

  @Override
  public synchronized void schedule(long delayMillis, Runnable task) {
    tasks.add(new Task(nowMillis + Math.max(0, delayMillis), sequence++, task));
  }

  /** Advances the time and runs the tasks that become due, in order. */
  public void advance(Duration time) {
    long end = nowMillis() + time.toMillis();
    for (Task task = next(end); task != null; task = next(end)) {
      task.action.run();
    }
  }

  private synchronized @Nullable Task next(long endMillis) {
    Task task = tasks.peek();
    if (task == null || task.atMillis > endMillis) {
      nowMillis = endMillis;
      return null;
    }
    nowMillis = task.atMillis;
    return tasks.remove();
  }

  /** Returns the number of scheduled tasks. */
  public synchronized int waiting() {
    return tasks.size();
  }

  /** Drops all scheduled tasks, as if the process had ended. */
  public synchronized void clear() {
    tasks.clear();
  }
}
