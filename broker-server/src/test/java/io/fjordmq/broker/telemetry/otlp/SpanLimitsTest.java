package io.fjordmq.broker.telemetry.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.telemetry.TraceParent;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The number of spans that clients can cause. */
class SpanLimitsTest {
  private final AtomicLong nanos = new AtomicLong(5_000_000_000L);

  private static TraceParent message(int number) {
    return new TraceParent("t" + number, "s", true);
  }

  @Test
  void shouldLimitTheRate() {
    SpanLimits limits = new SpanLimits(2, 10, nanos::get);
    assertThat(limits.permit()).isTrue();
    assertThat(limits.permitDelivery(message(1))).isTrue();
    assertThat(limits.permit()).isFalse();
    assertThat(limits.permitDelivery(message(1))).isFalse();
    nanos.addAndGet(1_000_000_000L);
    assertThat(limits.permitDelivery(message(1))).isTrue();
  }

  @Test
  void shouldHaveNoLimitIfItIsZero() {
    SpanLimits limits = new SpanLimits(0, 0, nanos::get);
    for (int i = 0; i < 100; i++) {
      assertThat(limits.permit()).isTrue();
    }
    assertThat(limits.permitDelivery(message(1))).isFalse();
  }

  @Test
  void shouldLimitTheDeliveriesOfEachMessage() {
    SpanLimits limits = new SpanLimits(0, 2, nanos::get);
    for (int number = 0; number < 2_000; number++) {
      assertThat(limits.permitDelivery(message(number))).isTrue();
      assertThat(limits.permitDelivery(message(number))).isTrue();
      assertThat(limits.permitDelivery(message(number))).isFalse();
    }
    assertThat(limits.permitDelivery(message(0))).as("forgotten").isTrue();
  }
}
