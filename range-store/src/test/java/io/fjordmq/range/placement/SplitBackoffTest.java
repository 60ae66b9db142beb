package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SplitBackoffTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final RangeId ONE = new RangeId("words", 1);
  private static final RangeId TWO = new RangeId("words", 2);

  private final SplitBackoff backoff = new SplitBackoff();

  @Test
  void shouldDoubleThePauseUpToALimit() {
    long now = 0;
    for (long pause : new long[] {1, 2, 4, 8, 16, 32, 32}) {
      backoff.recordFailure(ONE, now, SECOND);
      assertThat(backoff.isPausing(ONE, now + pause * 1_000 - 1)).as("%d s", pause).isTrue();
      now += pause * 1_000;
      assertThat(backoff.isPausing(ONE, now)).as("%d s", pause).isFalse();
    }
    assertThat(backoff.isPausing(TWO, 1)).isFalse();
  }

  @Test
  void shouldResetAfterASuccessAndForgetRemovedRanges() {
    backoff.recordFailure(ONE, 0, SECOND);
    backoff.recordFailure(ONE, 1_000, SECOND);
    backoff.reset(ONE);
    assertThat(backoff.isPausing(ONE, 1_000)).isFalse();
    backoff.recordFailure(ONE, 2_000, SECOND);
    assertThat(backoff.isPausing(ONE, 3_000)).as("the first pause again").isFalse();
    backoff.recordFailure(ONE, 3_000, SECOND);
    backoff.keepOnly(Set.of(TWO));
    assertThat(backoff.isPausing(ONE, 3_000)).isFalse();
  }
}
