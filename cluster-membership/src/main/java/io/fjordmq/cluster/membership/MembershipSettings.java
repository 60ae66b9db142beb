package io.fjordmq.cluster.membership;

import java.time.Duration;

/**
 * Settings of leases; must be the same on all nodes.
 *
 * @param heartbeat interval between lease renewals
 * @param lease validity of a renewal, counted from when it was sent. A node whose lease has expired
 *     serves no clients, and the cluster continues without it
 * @param maxLag time that a node may lag behind the metadata before its lease is no longer renewed,
 *     because other nodes wait for it
 * @param retryInterval pause before a failed operation is retried
 * @param clockTolerance tolerated difference between the wall clock and the monotonic clock of a
 *     host between two renewals; also the difference between wall clock and cluster time above
 *     which a warning is logged
 * @param maxClockAdvance maximum time that the wall clocks may be ahead of the saved cluster time
 *     when all nodes have restarted; if they are further ahead, cluster time continues from the
 *     saved time
 * @param unreachableAfter time without a response after which a live node is reported as
 *     unreachable to the metadata leader, which then stops renewing the lease of one of the two
 * @param autoRaiseLevel whether the metadata leader raises the cluster level without an operator
 * @param levelHoldDown time for which all members must have supported a higher cluster level before
 *     it is raised
 */
public record MembershipSettings(
    Duration heartbeat,
    Duration lease,
    Duration maxLag,
    Duration retryInterval,
    Duration clockTolerance,
    Duration maxClockAdvance,
    Duration unreachableAfter,
    boolean autoRaiseLevel,
    Duration levelHoldDown) {

  /** Must exceed the age of the saved time after a crash, see {@link ClockWatch}. */
  private static final Duration MIN_CLOCK_ADVANCE = Duration.ofMinutes(2);

  /**
   * Defaults: heartbeat 500 ms, lease 3 s, lag 20 s, retry pause 500 ms, clock tolerance 1 s, clock
   * advance 1 h, unreachable after 5 s, the cluster level is raised after 24 h.
   */
  public static final MembershipSettings DEFAULT =
      new MembershipSettings(
          Duration.ofMillis(500),
          Duration.ofSeconds(3),
          Duration.ofSeconds(20),
          Duration.ofMillis(500),
          Duration.ofSeconds(1),
          Duration.ofHours(1),
          Duration.ofSeconds(5),
          true,
          Duration.ofHours(24));

  /**
   * @throws IllegalArgumentException if a duration is out of range
   */
  public MembershipSettings {
    if (heartbeat.toMillis() < 10 || retryInterval.toMillis() < 1) {
      throw new IllegalArgumentException(
          "heartbeat must be at least 10 ms and retryInterval at least 1 ms, not %d ms and %d ms"
              .formatted(heartbeat.toMillis(), retryInterval.toMillis()));
    }
    if (lease.compareTo(heartbeat.multipliedBy(3)) < 0) {
      throw new IllegalArgumentException(
          "lease must be at least three heartbeats (%d ms), not %d ms"
              .formatted(3 * heartbeat.toMillis(), lease.toMillis()));
    }
    if (clockTolerance.toMillis() < 100) {
      throw new IllegalArgumentException(
          "clockTolerance must be at least 100 ms, not " + clockTolerance.toMillis() + " ms");
    }
    if (maxClockAdvance.compareTo(MIN_CLOCK_ADVANCE) < 0) {
      throw new IllegalArgumentException(
          "maxClockAdvance must be at least 2 min, not " + maxClockAdvance.toSeconds() + " s");
    }
    if (unreachableAfter.compareTo(lease) < 0) {
      throw new IllegalArgumentException(
          "unreachableAfter must be at least lease (%d ms), not %d ms"
              .formatted(lease.toMillis(), unreachableAfter.toMillis()));
    }
    if (levelHoldDown.isNegative()) {
      throw new IllegalArgumentException(
          "levelHoldDown must be at least 0 s, not " + levelHoldDown.toSeconds() + " s");
    }
    if (maxLag.compareTo(lease) < 0) {
      throw new IllegalArgumentException(
          "maxLag must be at least lease (%d ms), not %d ms"
              .formatted(lease.toMillis(), maxLag.toMillis()));
    }
  }
}
