package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.peer.HelloReply;
import java.time.Duration;
import java.time.InstantSource;

/**
 * Compares the wall clock of this node with those of other nodes, because the expiry of sessions
 * and messages depends on it.
 */
final class WallClockComparison {
  private final InstantSource clock;

  WallClockComparison(InstantSource clock) {
    this.clock = clock;
  }

  long now() {
    return clock.millis();
  }

  /**
   * Returns the minimum difference between this clock and that of the other node; negative if this
   * one is behind. Any difference that the round-trip time could explain counts as zero.
   *
   * @param sentMillis the time of this clock when the request was sent
   */
  Duration ahead(HelloReply reply, long sentMillis) {
    long receivedMillis = clock.millis();
    if (reply.wallClockMillis() < sentMillis) {
      return Duration.ofMillis(sentMillis - reply.wallClockMillis());
    }
    return Duration.ofMillis(Math.min(0, receivedMillis - reply.wallClockMillis()));
  }

  static String describeDifference(Duration ahead, HelloReply other) {
    return "the clock of this node is %d ms %s that of node %s"
        .formatted(
            ahead.abs().toMillis(), ahead.isNegative() ? "behind" : "ahead of", other.node());
  }
}
