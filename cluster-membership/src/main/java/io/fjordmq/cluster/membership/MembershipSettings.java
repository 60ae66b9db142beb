package io.fjordmq.cluster.membership;

import java.time.Duration;

/**
 * Settings of leases; must be the same on all nodes.
 *
 * @param heartbeat interval between lease renewals
 * @param lease how long a renewal is valid, counted from sending it. A node whose lease has expired
 *     serves no clients, and the cluster continues without it
 * @param maxLag how long a node may lag behind the metadata before its lease is no longer renewed,
 *     because other nodes wait for it
 * @param retryPause pause before a failed operation is retried
 * @param clockTolerance tolerated difference between the wall clock and the monotonic clock of a
 *     host between two renewals; also the difference between wall clock and cluster time above
 *     which a warning is logged
 * @param unreachableAfter how long a live node may fail to respond before another one reports it to
 *     the metadata leader, which then stops renewing the lease of one of the two
 */
public record MembershipSettings(
    Duration heartbeat,
    Duration lease,
    Duration maxLag,
    Duration retryPause,
    Duration clockTolerance,
    Duration unreachableAfter) {

  /**
   * Defaults: heartbeat 500 ms, lease 3 s, lag 20 s, retry pause 500 ms, clock tolerance 1 s,
   * unreachable after 5 s.
   */
  public static final MembershipSettings DEFAULT =
      new MembershipSettings(
          Duration.ofMillis(500),
          Duration.ofSeconds(3),
          Duration.ofSeconds(20),
          Duration.ofMillis(500),
          Duration.ofSeconds(1),
          Duration.ofSeconds(5));

  /**
   * @throws IllegalArgumentException if a duration is out of range
   */
  public MembershipSettings {
    if (heartbeat.toMillis() < 10 || retryPause.toMillis() < 1) {
      throw new IllegalArgumentException(
          "heartbeat must be at least 10 ms, retryPause at least 1 ms");
    }
    if (lease.compareTo(heartbeat.multipliedBy(3)) < 0) {
      throw new IllegalArgumentException("lease must be at least three heartbeats");
    }
    if (clockTolerance.toMillis() < 100) {
      throw new IllegalArgumentException("clockTolerance must be at least 100 ms");
    }
    if (unreachableAfter.compareTo(lease) < 0) {
      throw new IllegalArgumentException("unreachableAfter must not be shorter than lease");
    }
    if (maxLag.compareTo(lease) < 0) {
      throw new IllegalArgumentException("maxLag must not be shorter than lease");
    }
  }
}
