package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SharedRateLimitTest {
  private final SharedRateLimit rate = new SharedRateLimit();

  @Test
  void shouldGiveTurnsAtTheRateAfterABurstOfASecond() {
    long now = -5_000; // like the clock of the JVM, which can be negative
    assertThat(rate.take(now, 2, 1_000)).isZero();
    assertThat(rate.take(now, 2, 1_000)).isZero();
    assertThat(rate.take(now, 2, 1_000)).isEqualTo(500);
    assertThat(rate.take(now, 2, 1_000)).isEqualTo(1_000);
    assertThat(rate.take(now, 2, 1_000)).as("later than the caller would wait").isNegative();
    assertThat(rate.take(now + 500, 2, 1_000)).isEqualTo(1_000);
    assertThat(rate.take(now + 10_000, 2, 0)).isZero();
  }

  @Test
  void shouldLimitHighRatesExactly() {
    for (int i = 0; i < 600_000; i++) {
      assertThat(rate.take(0, 600_000, 0)).isZero();
    }
    for (int i = 0; i < 600; i++) { // an error of a thousandth is allowed
      rate.take(0, 600_000, 0);
    }
    assertThat(rate.take(0, 600_000, 0)).isNegative();
    rate.charge(10_000, 600_000, 600_000);
    assertThat(rate.isOverdrawn(10_000)).isFalse();
    rate.charge(10_000, 600, 600_000);
    assertThat(rate.isOverdrawn(10_000)).isTrue();
  }

  @Test
  void shouldGoIntoDebtAndPayItOffAtTheRate() {
    rate.charge(0, 10, 10);
    assertThat(rate.isOverdrawn(0)).isFalse();
    rate.charge(0, 20, 10);
    assertThat(rate.isOverdrawn(0)).isTrue();
    assertThat(rate.isOverdrawn(1_999)).isTrue();
    assertThat(rate.isOverdrawn(2_000)).isFalse();
    assertThat(rate.isFull(2_999)).isFalse();
    assertThat(rate.isFull(3_000)).isTrue();
  }
}
