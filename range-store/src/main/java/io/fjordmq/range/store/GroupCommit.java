package io.fjordmq.range.store;

import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Groups the batches that several nodes send to a range, so that they share a log append, a message
 * to each follower, and an fsync on each replica. Without groups, each small batch would cost
 * almost as much as a whole group.
 *
 * <p>A batch waits only if its sender allows it ({@link RangeEntry#isDeferrable}). Busy senders do;
 * they send one batch per interval. A group is complete once an interval has passed since the
 * previous one and as many batches wait as recent groups held; it waits for late ones for a
 * fraction of the interval. Any other batch is proposed immediately, together with those that wait.
 * So are the batches of a sender that is alone.
 *
 * <p>The response to a batch tells its sender when the next group will be formed ({@link
 * RangeResult.Applied#nextBatchMicros}), so that the batches of all senders arrive just before.
 *
 * <p>Thread-safe. A sender has one batch in flight, so the number of senders bounds the number of
 * batches that wait.
 */
final class GroupCommit {
  /** The part of the interval that a group waits for late batches. */
  private static final int GATHER_FRACTION = 8;

  /** Successive batches of one sender after which no others are expected. */
  private static final int ALONE_AFTER = 16;

  private final Object lock = new Object();
  private final long intervalNanos;
  private final long gatherNanos;
  private final Timers timers;
  private final BiConsumer<byte[], Consumer<RangeResult>> propose;

  // Guarded by lock.
  private List<Batch> waiting = new ArrayList<>();
  private long lastGroupNanos;
  private int expected = 1;
  private boolean timerScheduled;
  private long timerDueNanos;
  private long lastSender;
  private int batchesOfLastSender = ALONE_AFTER;

  private record Batch(byte[] entry, Consumer<RangeResult> reply) {}

  /**
   * @param interval zero to propose every batch immediately
   * @param propose proposes an entry; called without locks, on the thread that completes the group
   */
  GroupCommit(Duration interval, Timers timers, BiConsumer<byte[], Consumer<RangeResult>> propose) {
    this.intervalNanos = interval.toNanos();
    this.gatherNanos = intervalNanos / GATHER_FRACTION;
    this.timers = timers;
    this.propose = propose;
    this.lastGroupNanos = timers.nowNanos() - intervalNanos;
  }

  /** Proposes an entry, immediately or with the next group. */
  void submit(byte[] entry, Consumer<RangeResult> reply) {
    List<Batch> group;
    synchronized (lock) {
      boolean alone = isAlone(RangeEntry.senderOf(entry));
      boolean paced = !alone && intervalNanos > 0 && RangeEntry.isPaced(entry);
      waiting.add(new Batch(entry, paced ? paced(reply) : reply));
      if (!alone && RangeEntry.isDeferrable(entry) && mustWait()) {
        return;
      }
      group = takeGroup();
    }
    proposeAll(group);
  }

  /** Returns whether all recent batches came from this sender. */
  private boolean isAlone(long sender) {
    if (sender != lastSender) {
      batchesOfLastSender = 0;
      lastSender = sender;
    }
    batchesOfLastSender = Math.min(batchesOfLastSender + 1, ALONE_AFTER);
    return batchesOfLastSender >= ALONE_AFTER;
  }

  private Consumer<RangeResult> paced(Consumer<RangeResult> reply) {
    return result -> {
      if (result instanceof RangeResult.Applied applied) {
        reply.accept(
            new RangeResult.Applied(applied.index(), applied.responses(), nextBatchMicros()));
      } else {
        reply.accept(result);
      }
    };
  }

  /**
   * Returns the time until the next group, minus half the time that it waits for late batches,
   * which the response and the next batch spend on the network. If the group is overdue, senders
   * still pause, so that commands caused by this response can be part of the next batch.
   */
  private long nextBatchMicros() {
    long since;
    synchronized (lock) {
      since = timers.nowNanos() - lastGroupNanos;
    }
    long pause = Math.max(gatherNanos, intervalNanos - gatherNanos / 2 - since);
    return Math.max(1, TimeUnit.NANOSECONDS.toMicros(pause));
  }

  /** Proposes the waiting batches without waiting for more. */
  void flush() {
    List<Batch> group;
    synchronized (lock) {
      group = takeGroup();
    }
    proposeAll(group);
  }

  private boolean mustWait() {
    long now = timers.nowNanos();
    if (timerScheduled && now - timerDueNanos >= 0) {
      return false; // the event loop that should run the timer is busy
    }
    long sinceGroup = now - lastGroupNanos;
    if (sinceGroup < gatherNanos && waiting.size() == 1) {
      expected++; // it has just missed its group and would wait for almost a whole interval
      return false;
    }
    long untilNext = intervalNanos - sinceGroup;
    if (untilNext <= gatherNanos && waiting.size() >= expected) {
      return false;
    }
    if (!timerScheduled) {
      scheduleTimer(now, Math.max(0, untilNext) + gatherNanos);
    }
    return true;
  }

  private void scheduleTimer(long nowNanos, long delayNanos) {
    timerScheduled = true;
    timerDueNanos = nowNanos + delayNanos;
    timers.pauseNanos(delayNanos, this::onTimer);
  }

  private void onTimer() {
    List<Batch> group;
    synchronized (lock) {
      timerScheduled = false;
      if (waiting.isEmpty()) {
        return;
      }
      long now = timers.nowNanos();
      long remaining = lastGroupNanos + intervalNanos + gatherNanos - now;
      if (remaining > 0) { // a group was completed after the timer had been scheduled
        scheduleTimer(now, remaining);
        return;
      }
      group = takeGroup();
    }
    proposeAll(group);
  }

  /**
   * Takes the waiting batches. Lowers the expected number only by one, because a busy sender
   * sometimes has nothing to send.
   */
  private List<Batch> takeGroup() {
    List<Batch> group = waiting;
    waiting = new ArrayList<>();
    long now = timers.nowNanos();
    if (now - lastGroupNanos >= gatherNanos) {
      expected = Math.max(group.size(), expected - 1);
      lastGroupNanos = now;
    }
    return group;
  }

  private void proposeAll(List<Batch> group) {
    for (Batch batch : group) {
      propose.accept(batch.entry(), batch.reply());
    }
  }
}
