package io.fjordmq.cluster.membership;

import java.time.InstantSource;
import java.util.Collection;

/**
 * The times stamped into entries are never ahead of the true time by more than the corrections of
 * the metadata leader, and never behind it by more than the machines have lost.
 */
final class ClusterTimeInvariant {
  /** Rounding, and the time that responses take. */
  private static final long SLACK_MILLIS = 5;

  private static final long MAX_ROUND_TRIP_MILLIS = 6_000;

  private final InstantSource trueClock;
  private final long startMillis;
  private long lostMillis = MAX_ROUND_TRIP_MILLIS;
  private long initialLagMillis;

  ClusterTimeInvariant(InstantSource trueClock) {
    this.trueClock = trueClock;
    this.startMillis = trueClock.millis();
  }

  /** Allows cluster time to be behind by this much more from now on. */
  void allowLag(long millis) {
    lostMillis += millis;
  }

  void check(Collection<ClusterMembership> running) {
    long now = trueClock.millis();
    long corrected = (now - startMillis) / ClockVotes.MILLIS_PER_CORRECTION + SLACK_MILLIS;
    for (ClusterMembership node : running) {
      long stamp = node.clock().stampMillis();
      long ahead = stamp - now;
      if (stamp != ClusterClock.UNKNOWN && (ahead > corrected || -ahead > lostMillis + corrected)) {
        throw new AssertionError(
            "%s stamps a cluster time that is %d ms off; at most %d ms were lost"
                .formatted(node.self(), ahead, lostMillis));
      }
    }
  }

  /** Records the current lag; no faults are injected from now on. */
  void recordInitialLag(Collection<ClusterMembership> running) {
    initialLagMillis = maxLagMillis(running);
  }

  /** Checks after this much time without faults that cluster time has advanced. */
  void assertProgress(Collection<ClusterMembership> running, long millis) {
    long allowed = initialLagMillis + millis / ClockVotes.MILLIS_PER_CORRECTION + SLACK_MILLIS;
    long behind = maxLagMillis(running);
    if (behind > allowed) {
      throw new AssertionError(
          "cluster time fell behind by " + (behind - initialLagMillis) + " ms");
    }
  }

  /** The largest lag of any node. */
  private long maxLagMillis(Collection<ClusterMembership> running) {
    long max = Long.MIN_VALUE;
    for (ClusterMembership node : running) {
      long stamp = node.clock().stampMillis();
      if (stamp == ClusterClock.UNKNOWN) {
        throw new AssertionError(node.self() + " does not know the cluster time");
      }
      max = Math.max(max, trueClock.millis() - stamp);
    }
    return max;
  }
}
