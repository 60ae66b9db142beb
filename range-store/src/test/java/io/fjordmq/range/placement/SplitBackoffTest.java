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

  private final SplitBackoff pauses = new SplitBackoff();

  @Test
  void shouldDoubleThePauseUpToALimit() {
    long now = 0;
    for (long pause : new long[] {1, 2, 4, 8, 16, 32, 32}) {
      pauses.failed(ONE, now, SECOND);
      assertThat(pauses.isPausing(ONE, now + pause * 1_000 - 1)).as("%d s", pause).isTrue();
      now += pause * 1_000;
      assertThat(pauses.isPausing(ONE, now)).as("%d s", pause).isFalse();
    }
    assertThat(pauses.isPausing(TWO, 1)).isFalse();
  }

  @Test
  void shouldResetAfterASuccessAndForgetRemovedRanges() {
    pauses.failed(ONE, 0, SECOND);
    pauses.failed(ONE, 1_000, SECOND);
    pauses.done(ONE);
    assertThat(pauses.isPausing(ONE, 1_000)).isFalse();
    pauses.failed(ONE, 2_000, SECOND);
    assertThat(pauses.isPausing(ONE, 3_000)).as("the first pause again").isFalse();
    pauses.failed(ONE, 3_000, SECOND);
    pauses.keepOnly(Set.of(TWO));
    assertThat(pauses.isPausing(ONE, 3_000)).isFalse();
  }
}
