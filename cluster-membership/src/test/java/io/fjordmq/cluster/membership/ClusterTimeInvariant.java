package io.fjordmq.cluster.membership;

import java.time.InstantSource;
import java.util.Collection;

/**
 * What is stamped into entries is never ahead of the truth, but for what the leader of the metadata
 * corrects it by, and behind it by no more than machines have lost.
 */
final class ClusterTimeInvariant {
  /** Rounding, and what answers take to arrive. */
  private static final long SLACK_MILLIS = 5;

  private static final long SLOWEST_ANSWER_MILLIS = 6_000;

  private final InstantSource truth;
  private final long beganMillis;
  private long lostMillis = SLOWEST_ANSWER_MILLIS;
  private long behindMillis;

  ClusterTimeInvariant(InstantSource truth) {
    this.truth = truth;
    this.beganMillis = truth.millis();
  }

  /** Cluster time may be behind by so much more from now on. */
  void mayLose(long millis) {
    lostMillis += millis;
  }

  void check(Collection<ClusterMembership> running) {
    long now = truth.millis();
    long corrected = (now - beganMillis) / ClockVotes.MILLIS_FOR_ONE + SLACK_MILLIS;
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

  /** All is well from now on. */
  void mustGoOn(Collection<ClusterMembership> running) {
    behindMillis = behind(running);
  }

  /** So much time has passed. */
  void mustHaveGoneOn(Collection<ClusterMembership> running, long millis) {
    long allowed = behindMillis + millis / ClockVotes.MILLIS_FOR_ONE + SLACK_MILLIS;
    long behind = behind(running);
    if (behind > allowed) {
      throw new AssertionError("cluster time fell back by " + (behind - behindMillis) + " ms");
    }
  }

  /** How far the one that is farthest behind is. */
  private long behind(Collection<ClusterMembership> running) {
    long most = Long.MIN_VALUE;
    for (ClusterMembership node : running) {
      long stamp = node.clock().stampMillis();
      if (stamp == ClusterClock.UNKNOWN) {
        throw new AssertionError(node.self() + " does not know the cluster time");
      }
      most = Math.max(most, truth.millis() - stamp);
    }
    return most;
  }
}
