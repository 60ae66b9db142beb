package io.fjordmq.range.store;

import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.load.RangeMeter;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a replica has to do while it leads. Measures nothing before {@link #measure} is first
 * called: whoever does not ask does not pay. {@link #measure} and {@link #writes} are for one
 * thread, the rest for any.
 */
final class ReplicaLoad {
  private volatile boolean leading;
  private volatile @Nullable RangeMeter meter;

  /** The replica leads from now on. */
  void begin() {
    meter = null;
    leading = true;
  }

  /** What was measured was that of another shape. */
  void reshaped() {
    meter = null;
  }

  void end() {
    leading = false;
    meter = null;
  }

  /**
   * A row was written, deleted or looked for.
   *
   * @param key not changed later by anybody
   */
  void touched(byte[] key) {
    RangeMeter current = meter;
    if (current != null) {
      current.touched(key);
    }
  }

  /**
   * @param nanos that it took the apply thread
   * @param ofWriting of them, those until storage had taken what was written
   */
  void applied(int commands, long nanos, long ofWriting) {
    RangeMeter current = meter;
    if (current != null) {
      current.applied(commands, nanos, ofWriting);
    }
  }

  void queried() {
    RangeMeter current = meter;
    if (current != null) {
      current.queried();
    }
  }

  /**
   * About a second is over.
   *
   * @param nanos since the call before
   * @param idleWindow in which idle ranges are found
   * @param cut to the first key of what a key cannot be cut from
   * @return null while it does not lead, or has only begun to
   */
  @Nullable RangeLoad measure(
      RangeId range, long nanos, Duration idleWindow, UnaryOperator<byte[]> cut) {
    RangeMeter current = meter;
    if (!leading) {
      meter = null; // it may have been made in the moment in which the leadership ended
      return null;
    } else if (current == null) {
      meter = new RangeMeter(idleWindow, range.number());
      return null;
    }
    current.tick(nanos);
    return current.load(range.store(), range.toString(), cut);
  }

  /** Commands per second, as of the latest {@link #measure}; 0 if there is nothing yet. */
  double writes() {
    RangeMeter current = meter;
    return current == null ? 0 : current.commands();
  }
}
