package io.fjordmq.cluster.membership;

import java.time.Duration;

/**
 * Leases and lives; the same on all nodes.
 *
 * @param heartbeat how often a node renews its lease
 * @param lease how long a renewal holds, from when it was sent. Who has let it run out serves no
 *     client, and the cluster goes on without it
 * @param maxLag how long a node may be behind the metadata before its lease is not renewed any
 *     more: others wait for it
 * @param retryPause before what failed is tried again
 * @param clockTolerance by which the wall clock and the monotonic clock of a machine may disagree
 *     between two renewals, and its wall clock and cluster time before the log says so
 * @param unreachableAfter how long a live node may not answer before another one tells the metadata
 *     leader so, which ends the lease of one of the two
 */
public record MembershipSettings(
    Duration heartbeat,
    Duration lease,
    Duration maxLag,
    Duration retryPause,
    Duration clockTolerance,
    Duration unreachableAfter) {

  /**
   * Every 500 ms, for 3 s; 20 s behind; tries again after 500 ms; clocks within 1 s; unreachable
   * after 5 s.
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
   * @throws IllegalArgumentException if a duration makes no sense
   */
  public MembershipSettings {
    if (heartbeat.toMillis() < 10 || retryPause.toMillis() < 1) {
      throw new IllegalArgumentException("heartbeat must be 10 ms or longer, retryPause 1 ms");
    }
    if (lease.compareTo(heartbeat.multipliedBy(3)) < 0) {
      throw new IllegalArgumentException("lease must be three heartbeats or longer");
    }
    if (clockTolerance.toMillis() < 100) {
      throw new IllegalArgumentException("clockTolerance must be 100 ms or longer");
    }
    if (unreachableAfter.compareTo(lease) < 0) {
      throw new IllegalArgumentException("unreachableAfter must be as long as lease or longer");
    }
    if (maxLag.compareTo(lease) < 0) {
      throw new IllegalArgumentException("maxLag must be as long as lease or longer");
    }
  }
}
