package io.fjordmq.perf.load;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Holds the counters, recorders and timer of all clients of one event loop. One timer serves all
 * publishers of the loop, in the order in which their messages are due.
 */
final class EventLoopLoad {
  /**
   * Minimum pause between two timer runs. It saves wake-ups, because publishers whose messages are
   * due at about the same time are served together.
   */
  private static final long DEFAULT_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** A counter that one thread writes and others read. */
  static final class Counter {
    private final AtomicLong value = new AtomicLong();

    void add(long more) {
      value.lazySet(value.getPlain() + more);
    }

    long get() {
      return value.get();
    }
  }

  final Counter sent = new Counter();
  final Counter acknowledgeable = new Counter();
  final Counter acknowledged = new Counter();
  final Counter received = new Counter();

  /** Missing deliveries that were optional because the subscriber was disconnected. */
  final Counter excused = new Counter();

  final Counter duplicated = new Counter();
  final Counter outOfOrder = new Counter();
  final Counter misrouted = new Counter();
  final Counter unexpected = new Counter();

  /** Delays from the scheduled send time to delivery. */
  final Delays delivery = new Delays();

  /** Delays from the scheduled send time to PUBACK. */
  final Delays acknowledgement = new Delays();

  /** Delays from the scheduled send time to the write by this tool. */
  final Delays lateness = new Delays();

  private final EventLoop loop;
  private final long minPauseNanos;
  private final List<Publisher> publishers = new ArrayList<>();
  private volatile boolean stopped;
  private volatile long countedNanos;
  private int cursor;
  private int round;

  EventLoopLoad(EventLoop loop) {
    this(loop, 0);
  }

  /**
   * @param batchMillis as in {@link io.fjordmq.perf.scenario.Traffic}
   */
  EventLoopLoad(EventLoop loop, int batchMillis) {
    this.loop = loop;
    this.minPauseNanos =
        batchMillis == 0 ? DEFAULT_PAUSE_NANOS : TimeUnit.MILLISECONDS.toNanos(batchMillis);
  }

  /** Adds a publisher. Must be called before {@link #start}. */
  void add(Publisher publisher) {
    publishers.add(publisher);
  }

  /**
   * Sets the start of the measured period: messages that are due from then on count. Must be called
   * before {@link #start} of any event loop.
   */
  void countFrom(long nanos) {
    countedNanos = nanos;
  }

  /** Starts the publishers of this event loop. */
  void start(Schedule schedule) {
    publishers.sort(Comparator.comparingInt(Publisher::number));
    if (!publishers.isEmpty()) {
      loop.execute(() -> tick(schedule));
    }
  }

  private void tick(Schedule schedule) {
    if (stopped) {
      return;
    }
    long now = System.nanoTime();
    while (nextDue(schedule) - now <= 0 && nextDue(schedule) - schedule.endNanos() < 0) {
      publishers.get(cursor).send(schedule, now);
      cursor++;
      if (cursor == publishers.size()) {
        cursor = 0;
        round++;
      }
    }
    long untilEnd = schedule.endNanos() - now;
    if (untilEnd > 0) {
      long wait = Math.min(untilEnd, nextDue(schedule) - System.nanoTime());
      loop.schedule(() -> tick(schedule), Math.max(minPauseNanos, wait), TimeUnit.NANOSECONDS);
    } else if (!catchUp(schedule, now)) {
      loop.schedule(() -> tick(schedule), RETRY_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  /**
   * Sends the remaining messages after the end of the schedule. Returns false if some of them could
   * not be sent yet.
   */
  private boolean catchUp(Schedule schedule, long now) {
    boolean done = true;
    for (Publisher publisher : publishers) {
      done &= publisher.send(schedule, now);
    }
    return done;
  }

  private long nextDue(Schedule schedule) {
    return schedule.intendedNanos(publishers.get(cursor).number(), round);
  }

  /** Stops publishing. May be called on any thread. */
  void stop() {
    stopped = true;
  }

  /** Waits for the event loop, so that the caller then sees the latest values of all counters. */
  void await() throws Exception {
    loop.submit(() -> {}).get(1, TimeUnit.MINUTES);
  }

  /** Records the delay from the scheduled time until now. */
  void record(Delays delays, long intendedNanos) {
    delays.record(intendedNanos, System.nanoTime(), isCounted(intendedNanos));
  }

  /** Returns whether a message scheduled for this time belongs to the measured period. */
  boolean isCounted(long intendedNanos) {
    return intendedNanos - countedNanos >= 0;
  }
}
