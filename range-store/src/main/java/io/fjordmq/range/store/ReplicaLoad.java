package io.fjordmq.range.store;

import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.load.RangeMeter;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The load of a replica while it leads. Measures nothing before {@link #measure} is first called,
 * so that unused measurements cost nothing. {@link #measure} and {@link #writes} are for one
 * thread, the rest for any thread.
 */
final class ReplicaLoad {
  private volatile boolean leading;
  private volatile @Nullable RangeMeter meter;

  /** Starts measuring; called when the replica becomes leader. */
  void begin() {
    meter = null;
    leading = true;
  }

  /** Discards the measurements of the previous epoch and key interval. */
  void reset() {
    meter = null;
  }

  void end() {
    leading = false;
    meter = null;
  }

  /**
   * Records that a row was written, deleted or read.
   *
   * @param key must not be modified later
   */
  void recordAccess(byte[] key) {
    RangeMeter current = meter;
    if (current != null) {
      current.recordAccess(key);
    }
  }

  /**
   * @param nanos time that the apply thread needed
   * @param ofWriting the part of it that was spent waiting for storage writes
   */
  void recordApplied(int commands, long nanos, long ofWriting) {
    RangeMeter current = meter;
    if (current != null) {
      current.recordApplied(commands, nanos, ofWriting);
    }
  }

  void recordQuery() {
    RangeMeter current = meter;
    if (current != null) {
      current.recordQuery();
    }
  }

  /**
   * Returns the load since the previous call. Must be called about once a second.
   *
   * @param nanos time since the previous call
   * @param idleWindow window over which ranges are judged to be idle
   * @param splitKeyFloor maps a key to the last permitted split key at or before it
   * @return null if the replica does not lead, or has only just become leader
   */
  @Nullable RangeLoad measure(
      RangeId range, long nanos, Duration idleWindow, UnaryOperator<byte[]> splitKeyFloor) {
    RangeMeter current = meter;
    if (!leading) {
      meter = null; // it may have been created just as the leadership ended
      return null;
    } else if (current == null) {
      meter = new RangeMeter(idleWindow, range.number());
      return null;
    }
    current.tick(nanos);
    return current.load(range.store(), range.toString(), splitKeyFloor);
  }

  /**
   * Returns the commands per second as of the latest {@link #measure}; 0 if there is no measurement
   * yet.
   */
  double writes() {
    RangeMeter current = meter;
    return current == null ? 0 : current.commands();
  }
}
