package io.fjordmq.broker.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients are disconnected at exactly the allowed rate, whatever the step size. */
class DisconnectLimiterTest {
  private static final int SECONDS = 60;

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 15, 500, 20_000})
  void shouldKeepTheRate(int perSecond) {
    DisconnectLimiter rate = new DisconnectLimiter(() -> perSecond);
    Random random = new Random(7);
    long begin = -5_000; // monotonic clocks may begin anywhere
    assertThat(rate.begin(begin)).isTrue();
    assertThat(rate.begin(begin)).isFalse();
    long sum = rate.due(begin);
    for (long at = begin; at < begin + SECONDS * 1_000; ) {
      at += 1 + random.nextInt(400);
      sum += rate.due(at);
      long elapsed = at - begin + DisconnectLimiter.STEP_MILLIS;
      assertThat(sum).isBetween(elapsed * perSecond / 1_000 - 1, elapsed * perSecond / 980 + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 500})
  void shouldNotCatchUpAfterAPause(int perSecond) {
    DisconnectLimiter rate = new DisconnectLimiter(() -> perSecond);
    rate.begin(0);
    rate.due(0);
    assertThat(rate.due(60_000)).isEqualTo(perSecond);
    assertThat(rate.due(60_100)).isEqualTo(perSecond / 10);
    rate.end();
    assertThat(rate.begin(90_000)).isTrue();
    assertThat(rate.due(90_000)).isEqualTo(perSecond / 10);
  }
}
