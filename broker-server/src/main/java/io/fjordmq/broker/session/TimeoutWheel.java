package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Coarse-grained timeouts for the connections of one event loop: keep alive, connect timeout and
 * throttling. The wheel needs only one scheduled task, and no object per timeout other than the
 * timeout itself.
 *
 * <p>This is a hashed timing wheel with linked lists (Varghese &amp; Lauck, scheme 6), so arming
 * and canceling take constant time. A connection is checked about once per timeout regardless of
 * how busy it is, because activity only records the tick, and the check re-arms the timeout for the
 * remaining time.
 *
 * <p>A late tick counts as a single tick, however late it is. While the event loop or the process
 * was stalled, no packets were read, and packets that clients sent in the meantime are still
 * unread.
 */
final class TimeoutWheel {
  /**
   * The resolution of timeouts. A timeout fires up to this much late, even later if the loop is
   * late, but never early.
   */
  static final int TICK_MILLIS = 500;

  private static final int SLOTS = 512;

  /** Longer timeouts are checked earlier. */
  private static final int MAX_TICKS = 1 << 30;

  /** A check that runs when it is due. Only used on the wheel's event loop. */
  abstract static class Timeout {
    @Nullable Timeout previous;
    @Nullable Timeout next;
    int dueTick;

    /** Runs the check; returns the number of ticks until the next check, or 0 for none. */
    abstract long check();

    /** Removes the timeout from the wheel if it is armed. */
    final void cancel() {
      if (previous != null) {
        previous.next = next;
        if (next != null) {
          next.previous = previous;
        }
        previous = null;
        next = null;
      }
    }
  }

  private static final class Head extends Timeout {
    @Override
    long check() {
      throw new IllegalStateException("the head of a slot is never due");
    }
  }

  private final Head[] slots = new Head[SLOTS];
  private int tick; // sufficient for 34 years; a long would take memory in every timeout

  TimeoutWheel(EventLoop loop) {
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = new Head();
    }
    loop.scheduleWithFixedDelay(this::advance, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** The number of ticks since the wheel was created. */
  int currentTick() {
    return tick;
  }

  /** Returns the number of ticks that take at least this long. */
  static long toTicks(long millis) {
    return (millis + TICK_MILLIS - 1) / TICK_MILLIS + 1;
  }

  void arm(Timeout timeout, long ticks) {
    timeout.cancel();
    timeout.dueTick = tick + (int) Math.min(MAX_TICKS, Math.max(1, ticks));
    Timeout head = slots[timeout.dueTick & (SLOTS - 1)];
    timeout.previous = head;
    timeout.next = head.next;
    if (head.next != null) {
      head.next.previous = timeout;
    }
    head.next = timeout;
  }

  private void advance() {
    tick++;
    // check() may arm and cancel other timeouts of this slot, so start over after each call.
    Timeout due = firstDue();
    while (due != null) {
      due.cancel();
      long again = due.check();
      if (again > 0) {
        arm(due, again);
      }
      due = firstDue();
    }
  }

  private @Nullable Timeout firstDue() {
    Timeout timeout = slots[tick & (SLOTS - 1)].next;
    while (timeout != null && timeout.dueTick > tick) {
      timeout = timeout.next;
    }
    return timeout;
  }
}
