package io.fjordmq.broker.drain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the step size, the pace is exactly the allowed rate. */
class DisconnectRateTest {
  private static final int SECONDS = 60;

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 15, 500, 20_000})
  void shouldKeepTheRate(int perSecond) {
    DisconnectRate pace = new DisconnectRate(perSecond);
    Random random = new Random(7);
    long begin = -5_000; // monotonic clocks may begin anywhere
    assertThat(pace.begin(begin)).isTrue();
    assertThat(pace.begin(begin)).isFalse();
    long sum = pace.due(begin);
    for (long at = begin; at < begin + SECONDS * 1_000; ) {
      at += 1 + random.nextInt(400);
      sum += pace.due(at);
      long elapsed = at - begin + DisconnectRate.STEP_MILLIS;
      assertThat(sum).isBetween(elapsed * perSecond / 1_000 - 1, elapsed * perSecond / 980 + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 500})
  void shouldNotCatchUpAfterAPause(int perSecond) {
    DisconnectRate pace = new DisconnectRate(perSecond);
    pace.begin(0);
    pace.due(0);
    assertThat(pace.due(60_000)).isEqualTo(perSecond);
    assertThat(pace.due(60_100)).isEqualTo(perSecond / 10);
    pace.end();
    assertThat(pace.begin(90_000)).isTrue();
    assertThat(pace.due(90_000)).isEqualTo(perSecond / 10);
  }
}
