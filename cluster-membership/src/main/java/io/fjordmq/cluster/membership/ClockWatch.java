package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.membership.ClusterClock.Reading;
import io.fjordmq.common.Timers;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Updates cluster time on this node with each lease renewal, and warns about a wall clock that
 * jumped or is wrong. Runs on the membership thread.
 */
final class ClockWatch {
  private static final Logger LOG = LoggerFactory.getLogger(ClockWatch.class);
  private static final long SAVE_MILLIS = Duration.ofSeconds(60).toMillis();

  private final ClusterClock clock;
  private final ClockFile file;
  private boolean saved;
  private long savedMillis;
  private long savedClusterMillis;
  private boolean jumpReported;
  private boolean differenceReported;

  ClockWatch(ClusterClock clock, ClockFile file) {
    this.clock = clock;
    this.file = file;
  }

  static ClockWatch of(
      InstantSource wall, Timers timers, ClockFile file, MembershipSettings settings) {
    long tolerance = settings.clockTolerance().toMillis();
    long maxAdvance = settings.maxClockAdvance().toMillis();
    return new ClockWatch(
        new ClusterClock(wall, timers::nowMillis, file.savedMillis(), tolerance, maxAdvance), file);
  }

  ClusterClock clock() {
    return clock;
  }

  /** Returns the clocks to report with a renewal sent at this reading. */
  ClockReport report(Reading sent) {
    return clock.report(sent);
  }

  /** Reads the clocks when a renewal is about to be sent. */
  Reading beforeRenewal() {
    Reading now = clock.read();
    if (clock.isKnown() && !clock.isSteady() && !jumpReported) {
      jumpReported = true;
      LOG.warn(
          "The wall clock was changed or the host was suspended; pausing the lease and log "
              + "entries until the next renewal");
    }
    return now;
  }

  /**
   * Handles the response to a renewal. Returns false if it must be ignored because a clock jumped
   * in the meantime.
   */
  boolean onRenewed(Reading sent, long clusterMillis) {
    if (!clock.adjustTo(sent, clusterMillis)) {
      return false;
    }
    jumpReported = false;
    warnIfDifferent();
    if (mustSave(sent)) {
      saved = true;
      savedMillis = sent.monotonicMillis();
      savedClusterMillis = clock.millis();
      save();
    }
    return true;
  }

  /**
   * Returns whether to save now: periodically, and at once in a new process or after cluster time
   * was set, because the process may end soon and the next one must not start from an earlier time.
   */
  private boolean mustSave(Reading now) {
    long since = now.monotonicMillis() - savedMillis;
    long adjustmentMillis = clock.millis() - savedClusterMillis - since;
    return !saved || since >= SAVE_MILLIS || adjustmentMillis > clock.toleranceMillis();
  }

  private void warnIfDifferent() {
    long ahead = clock.wallAheadMillis();
    long limit = clock.toleranceMillis();
    if (!differenceReported && Math.abs(ahead) > limit) {
      differenceReported = true;
      LOG.warn(
          "The wall clock is {} cluster time, which FjordMQ uses; synchronize the clock "
              + "(NTP){} differenceMs={}",
          ahead < 0 ? "behind" : "ahead of",
          ahead > clock.maxAdvanceMillis()
              ? "; if all clocks are right and the cluster had stopped, run "
                  + "'bin/standalone.sh accept-clock'"
              : "",
          ahead);
    } else if (differenceReported && Math.abs(ahead) <= limit / 2) {
      differenceReported = false;
      LOG.info("The wall clock agrees with cluster time again differenceMs={}", ahead);
    }
  }

  /** Saves cluster time, so that the next process does not start from an earlier time. */
  void save() {
    if (clock.isKnown()) {
      file.save(clock.millis());
    }
  }
}
