package io.fjordmq.testing;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * A discrete-event simulation with virtual time. All events run on the thread that calls {@link
 * #step} or {@link #run}; not thread-safe. A failure is thrown as an {@link AssertionError} that
 * names the seed.
 */
public final class Simulation {
  private static final long START_MILLIS = Instant.parse("2030-01-01T00:00:00Z").toEpochMilli();

  /**
   * Spreads the seeds, because Random returns nearly the same first values for neighboring seeds.
   */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final long seed;
  private final Random random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<Runnable> invariants = new ArrayList<>();
  private final InstantSource clock = new Clock();
  private long nowMillis;
  private long sequence;
  private long executed;

  public Simulation(long seed) {
    this.seed = seed;
    this.random = new Random(seed * SPREAD);
  }

  /** A scheduled event, which can be canceled. */
  public interface Scheduled {
    void cancel();
  }

  public long seed() {
    return seed;
  }

  /** Returns the number of milliseconds since the start of the simulation. */
  public long now() {
    return nowMillis;
  }

  /** Returns the wall clock of all simulated nodes. */
  public InstantSource clock() {
    return clock;
  }

  /** Returns the only source of randomness in a simulated run. */
  public Random random() {
    return random;
  }

  /** Returns a random number from {@code min} to {@code max}, both inclusive. */
  public long between(long min, long max) {
    return random.nextLong(min, max + 1);
  }

  /** Returns true with a probability of {@code percent}. */
  public boolean chance(double percent) {
    return random.nextDouble() * 100 < percent;
  }

  /** Returns the number of executed events. */
  public long executedEvents() {
    return executed;
  }

  /**
   * Runs the action after a delay. Events due in the same millisecond run in the order in which
   * they were scheduled.
   */
  public Scheduled schedule(long delayMillis, Runnable action) {
    Event event = new Event(nowMillis + Math.max(0, delayMillis), sequence++, action);
    events.add(event);
    return event;
  }

  /** Runs the check after every event; it throws if the invariant is violated. */
  public void afterEveryEvent(Runnable invariant) {
    invariants.add(invariant);
  }

  /** Runs the next event; returns false if there is none. */
  public boolean step() {
    Event event = events.poll();
    while (event != null && event.canceled) {
      event = events.poll();
    }
    if (event == null) {
      return false;
    }
    nowMillis = event.atMillis;
    executed++;
    try {
      event.action.run();
      invariants.forEach(Runnable::run);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(where() + ": " + e, e);
    }
    return true;
  }

  /** Runs all events of the next {@code millis} milliseconds. */
  public void run(long millis) {
    long end = nowMillis + millis;
    while (true) {
      Event next = events.peek();
      if (next == null || next.atMillis > end) {
        nowMillis = end;
        return;
      }
      if (next.canceled) {
        events.poll();
      } else {
        step();
      }
    }
  }

  /**
   * Runs until the condition holds.
   *
   * @throws AssertionError if it does not hold within {@code limitMillis} virtual milliseconds
   */
  public void runUntil(String what, BooleanSupplier condition, long limitMillis) {
    long end = nowMillis + limitMillis;
    while (!condition.getAsBoolean()) {
      if (nowMillis > end || !step()) {
        throw new AssertionError(
            where() + ": timed out after " + limitMillis + " ms waiting until " + what);
      }
    }
  }

  private String where() {
    return "seed " + seed + ", event " + executed + " at " + nowMillis + " ms";
  }

  /** Creates no {@link Instant} for {@link #millis}, which nodes read several times per event. */
  private final class Clock implements InstantSource {
    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(millis());
    }

    @Override
    public long millis() {
      return START_MILLIS + nowMillis;
    }
  }

  private static final class Event implements Scheduled, Comparable<Event> {
    final long atMillis;
    final long sequence;
    final Runnable action;
    boolean canceled;

    Event(long atMillis, long sequence, Runnable action) {
      this.atMillis = atMillis;
      this.sequence = sequence;
      this.action = action;
    }

    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atMillis, other.atMillis);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }

    @Override
    public void cancel() {
      canceled = true;
    }
  }
}
