package io.fjordmq.cluster.membership;

import io.fjordmq.cluster.peer.HelloReply;
import java.time.Duration;
import java.time.InstantSource;

/** Compares this node's wall clock with those of others: sessions and messages expire by them. */
final class Clocks {
  private final InstantSource clock;

  Clocks(InstantSource clock) {
    this.clock = clock;
  }

  long now() {
    return clock.millis();
  }

  /**
   * How far this clock is ahead (behind: negative) of the other's, at least; the time an answer
   * took is given the benefit of the doubt.
   *
   * @param askedMillis this clock when the other was asked
   */
  Duration ahead(HelloReply answer, long askedMillis) {
    long answeredMillis = clock.millis();
    if (answer.wallClockMillis() < askedMillis) {
      return Duration.ofMillis(askedMillis - answer.wallClockMillis());
    }
    return Duration.ofMillis(Math.min(0, answeredMillis - answer.wallClockMillis()));
  }

  static String apart(Duration ahead, HelloReply other) {
    return "this node's clock is %d ms %s that of node %s"
        .formatted(
            ahead.abs().toMillis(), ahead.isNegative() ? "behind" : "ahead of", other.node());
  }
}
