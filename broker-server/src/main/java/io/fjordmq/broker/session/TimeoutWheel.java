package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The coarse timeouts of one event loop's connections: keep alive, CONNECT in time. One scheduled
 * task for all of them, no object per connection beyond its own links.
 *
 * <p>A hashed wheel of linked lists (Varghese &amp; Lauck, scheme 6): arming and cancelling are
 * constant-time, and a connection is looked at about once per timeout however busy it is, because
 * activity only notes the tick and the check moves itself on.
 *
 * <p>A tick that comes late is one tick, however late: while the loop, or the process, stood still
 * nobody was heard either, and what clients have sent meanwhile is still to be read.
 */
final class TimeoutWheel {
  /** Resolution: a timeout fires up to this much late and later if the loop is, never early. */
  static final int TICK_MILLIS = 500;

  private static final int SLOTS = 512;

  /** Something to look at when its time has come. Used on the wheel's event loop only. */
  abstract static class Timeout {
    @Nullable Timeout previous;
    @Nullable Timeout next;
    long dueTick;

    /** Its time has come; returns the ticks until it is to be looked at again, 0 for never. */
    abstract long due();

    /** Takes it off the wheel; nothing happens if it is not there. */
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
    long due() {
      throw new IllegalStateException("a slot's head is never due");
    }
  }

  private final Head[] slots = new Head[SLOTS];
  private long tick;

  TimeoutWheel(EventLoop loop) {
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = new Head();
    }
    loop.scheduleWithFixedDelay(this::advance, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Ticks since the wheel began to turn. */
  long tick() {
    return tick;
  }

  /** Ticks that last at least so long. */
  static long ticks(long millis) {
    return (millis + TICK_MILLIS - 1) / TICK_MILLIS + 1;
  }

  void arm(Timeout timeout, long ticks) {
    timeout.cancel();
    timeout.dueTick = tick + Math.max(1, ticks);
    Timeout head = slots[(int) (timeout.dueTick & (SLOTS - 1))];
    timeout.previous = head;
    timeout.next = head.next;
    if (head.next != null) {
      head.next.previous = timeout;
    }
    head.next = timeout;
  }

  private void advance() {
    tick++;
    // due() may arm and cancel others of this slot: begin again after each one that was due.
    Timeout due = firstDue();
    while (due != null) {
      due.cancel();
      long again = due.due();
      if (again > 0) {
        arm(due, again);
      }
      due = firstDue();
    }
  }

  private @Nullable Timeout firstDue() {
    Timeout timeout = slots[(int) (tick & (SLOTS - 1))].next;
    while (timeout != null && timeout.dueTick > tick) {
      timeout = timeout.next;
    }
    return timeout;
  }
}
