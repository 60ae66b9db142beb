package io.fjordmq.range.sim;

import io.fjordmq.range.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Time that passes only when a test says so. Thread-safe. */
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

  /** The wall clock: begins at the start of 2030, unless {@link #setWallClock} says otherwise. */
  @Override
  public synchronized Instant instant() {
    return START.plusMillis(nowMillis + wallOffsetMillis);
  }

  /**
   * The wall clock is wrong from now on, the monotonic one is not.
   *
   * @param ahead by how much; zero if it is right
   */
  public synchronized void setWallClock(Duration ahead) {
    wallOffsetMillis = ahead.toMillis();
  }

  @Override
  public synchronized void schedule(long delayMillis, Runnable task) {
    tasks.add(new Task(nowMillis + Math.max(0, delayMillis), sequence++, task));
  }

  /** Lets time pass and runs what falls due, in order. */
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

  /** Drops everything that waits for its time, as the end of a process does. */
  synchronized void clear() {
    tasks.clear();
  }
}
