package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LastDeliveriesTest {
  private final LastDeliveries deliveries = new LastDeliveries();

  private void record(int number, long... millis) {
    for (long latency : millis) {
      deliveries.record(number, TimeUnit.MILLISECONDS.toNanos(latency));
    }
  }

  @Test
  void shouldReturnTheMedianOfEachMessagesSlowestDelivery() {
    assertThat(deliveries.medianMillis()).isEmpty();
    record(0, 1, 9, 2);
    record(1, 3, 3, 3);
    record(2, 5, 4, 50);
    assertThat(deliveries.medianMillis()).hasValue(9);
  }
}
