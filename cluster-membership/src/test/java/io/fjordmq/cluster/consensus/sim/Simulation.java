package io.fjordmq.cluster.consensus.sim;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Virtual time and the events in it. Everything runs on the thread that calls {@link #step} or
 * {@link #run}; nothing here is thread-safe. A failure is thrown as an {@link AssertionError} that
 * names the seed.
 */
public final class Simulation {
  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  /** Random's first draws are nearly the same for neighbouring seeds. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final long seed;
  private final Random random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong((Event e) -> e.atMillis).thenComparingLong(e -> e.sequence));
  private final List<Runnable> invariants = new ArrayList<>();
  private long nowMillis;
  private long sequence;
  private long executed;

  public Simulation(long seed) {
    this.seed = seed;
    this.random = new Random(seed * SPREAD);
  }

  /** Something that will happen unless cancelled. */
  public interface Scheduled {
    void cancel();
  }

  public long seed() {
    return seed;
  }

  /** Milliseconds since the simulation began. */
  public long now() {
    return nowMillis;
  }

  /** The wall clock all nodes share. */
  public InstantSource clock() {
    return () -> START.plusMillis(nowMillis);
  }

  /** The only source of randomness in a simulated run. */
  public Random random() {
    return random;
  }

  /** Draws from {@code min} to {@code max}, both included. */
  public long between(long min, long max) {
    return random.nextLong(min, max + 1);
  }

  /** True in so many of a hundred draws. */
  public boolean chance(double percent) {
    return random.nextDouble() * 100 < percent;
  }

  /** Events run so far. */
  public long executedEvents() {
    return executed;
  }

  /**
   * Runs the action after a delay; events of the same millisecond run in the order of the calls.
   */
  public Scheduled schedule(long delayMillis, Runnable action) {
    Event event = new Event(nowMillis + Math.max(0, delayMillis), sequence++, action);
    events.add(event);
    return event;
  }

  /** Has the check run after every event; it throws when something is wrong. */
  public void afterEveryEvent(Runnable invariant) {
    invariants.add(invariant);
  }

  /** Runs the next event; false if there is none. */
  public boolean step() {
    Event event = events.poll();
    while (event != null && event.cancelled) {
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

  /** Runs everything that happens in the next so many milliseconds. */
  public void run(long millis) {
    long end = nowMillis + millis;
    while (true) {
      Event next = events.peek();
      if (next == null || next.atMillis > end) {
        nowMillis = end;
        return;
      }
      if (next.cancelled) {
        events.poll();
      } else {
        step();
      }
    }
  }

  /**
   * Runs until the condition holds.
   *
   * @throws AssertionError if it does not within so many virtual milliseconds
   */
  public void runUntil(String what, BooleanSupplier condition, long limitMillis) {
    long end = nowMillis + limitMillis;
    while (!condition.getAsBoolean()) {
      if (nowMillis > end || !step()) {
        throw new AssertionError(where() + ": waited " + limitMillis + " ms in vain until " + what);
      }
    }
  }

  private String where() {
    return "seed " + seed + ", event " + executed + " at " + nowMillis + " ms";
  }

  private static final class Event implements Scheduled {
    final long atMillis;
    final long sequence;
    final Runnable action;
    boolean cancelled;

    Event(long atMillis, long sequence, Runnable action) {
      this.atMillis = atMillis;
      this.sequence = sequence;
      this.action = action;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }
}
