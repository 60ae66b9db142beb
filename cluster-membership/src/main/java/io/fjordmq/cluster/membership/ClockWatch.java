package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.membership.ClusterClock.Reading;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this node's cluster time by its renewals, and tells the operator about a clock that jumped
 * or is wrong. On the thread of the membership.
 */
final class ClockWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ClockWatch.class);
  private static final long SAVE_MILLIS = Duration.ofSeconds(60).toMillis();

  private final ClusterClock clock;
  private final ClockFile file;
  private boolean saved;
  private long savedMillis;
  private boolean toldJump;
  private boolean toldDifference;

  ClockWatch(ClusterClock clock, ClockFile file) {
    this.clock = clock;
    this.file = file;
  }

  static ClockWatch of(
      InstantSource wall, SerialTimers timers, ClockFile file, MembershipSettings settings) {
    long tolerance = settings.clockTolerance().toMillis();
    return new ClockWatch(
        new ClusterClock(wall, timers::nowMillis, file.keptMillis(), tolerance), file);
  }

  ClusterClock clock() {
    return clock;
  }

  boolean isWithin(Duration lease) {
    return clock.isWithin(lease.toMillis());
  }

  /** What a renewal says, and when it is sent. */
  ClockReport report(Reading sent) {
    return new ClockReport(sent.wallMillis(), clock.millis(), clock.isKnown());
  }

  /** A renewal is about to be sent. */
  Reading sending() {
    Reading now = clock.read();
    if (clock.isKnown() && !clock.isSteady() && !toldJump) {
      toldJump = true;
      LOG.warn(
          "The wall clock was set or the host was suspended; suspending the lease and "
              + "log entries until the next renewal");
    }
    return now;
  }

  /** Whether the answer counts: not if a clock jumped while it was on its way. */
  boolean answered(Reading sent, long clusterMillis) {
    if (!clock.follow(sent, clusterMillis)) {
      return false;
    }
    toldJump = false;
    compare();
    // At once in a new process: if it ends soon, its next start must not begin earlier.
    if (!saved || sent.monotonicMillis() - savedMillis >= SAVE_MILLIS) {
      saved = true;
      savedMillis = sent.monotonicMillis();
      save();
    }
    return true;
  }

  private void compare() {
    long ahead = clock.wallAheadMillis();
    long limit = clock.toleranceMillis();
    if (!toldDifference && Math.abs(ahead) > limit) {
      toldDifference = true;
      LOG.warn(
          "The wall clock is {} cluster time, which FjordMQ uses; synchronize the clock "
              + "(NTP) differenceMs={}",
          ahead < 0 ? "behind" : "ahead of",
          ahead);
    } else if (toldDifference && Math.abs(ahead) <= limit / 2) {
      toldDifference = false;
      LOG.info("The wall clock agrees with cluster time again differenceMs={}", ahead);
    }
  }

  /** So that the next start does not begin earlier. */
  void save() {
    if (clock.isKnown()) {
      file.save(clock.millis());
    }
  }
}
