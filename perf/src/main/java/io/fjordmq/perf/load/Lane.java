package io.fjordmq.perf.load;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters, recorders and the common timer of the clients of one event loop. One timer serves all
 * publishers of the loop, in the order in which their messages are due.
 */
final class Lane {
  /**
   * Publishers that are due at about the same time are served together, which needs fewer wake-ups.
   */
  private static final long LEAST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** Written by one thread, read by others. */
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
  final Counter answerable = new Counter();
  final Counter acknowledged = new Counter();
  final Counter received = new Counter();

  /** Missing deliveries that were optional because the subscriber was away. */
  final Counter excused = new Counter();

  final Counter duplicated = new Counter();
  final Counter outOfOrder = new Counter();
  final Counter misrouted = new Counter();
  final Counter strange = new Counter();

  /** From the scheduled send time to delivery. */
  final Delays delivery = new Delays();

  /** From the scheduled send time to PUBACK. */
  final Delays acknowledgement = new Delays();

  /** From the scheduled send time to the write by this tool. */
  final Delays lateness = new Delays();

  private final EventLoop loop;
  private final List<Publisher> publishers = new ArrayList<>();
  private volatile boolean stopped;
  private volatile long countedNanos;
  private int cursor;
  private int round;

  Lane(EventLoop loop) {
    this.loop = loop;
  }

  /** Before {@link #start}. */
  void add(Publisher publisher) {
    publishers.add(publisher);
  }

  /** Messages that are due from then on are measured. Before any lane's {@link #start}. */
  void countFrom(long nanos) {
    countedNanos = nanos;
  }

  /** Starts the publishers of this lane. */
  void start(Timetable timetable) {
    publishers.sort(Comparator.comparingInt(Publisher::number));
    if (!publishers.isEmpty()) {
      loop.execute(() -> tick(timetable));
    }
  }

  private void tick(Timetable timetable) {
    if (stopped) {
      return;
    }
    long now = System.nanoTime();
    while (nextDue(timetable) - now <= 0 && nextDue(timetable) - timetable.endNanos() < 0) {
      publishers.get(cursor).send(timetable, now);
      cursor++;
      if (cursor == publishers.size()) {
        cursor = 0;
        round++;
      }
    }
    long untilEnd = timetable.endNanos() - now;
    if (untilEnd > 0) {
      long wait = Math.min(untilEnd, nextDue(timetable) - System.nanoTime());
      loop.schedule(() -> tick(timetable), Math.max(LEAST_PAUSE_NANOS, wait), TimeUnit.NANOSECONDS);
    } else if (!catchUp(timetable, now)) {
      loop.schedule(() -> tick(timetable), RETRY_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  /**
   * After the end of the schedule: sends what is left. Returns false if something could not be
   * sent.
   */
  private boolean catchUp(Timetable timetable, long now) {
    boolean done = true;
    for (Publisher publisher : publishers) {
      done &= publisher.send(timetable, now);
    }
    return done;
  }

  private long nextDue(Timetable timetable) {
    return timetable.intendedNanos(publishers.get(cursor).number(), round);
  }

  /** Stops publishing. Any thread. */
  void stop() {
    stopped = true;
  }

  /** Afterwards the caller sees all counters of its clients. */
  void await() throws Exception {
    loop.submit(() -> {}).get(1, TimeUnit.MINUTES);
  }

  /** Records the current time. */
  void record(Delays delays, long intendedNanos) {
    delays.record(intendedNanos, System.nanoTime(), intendedNanos - countedNanos >= 0);
  }
}
