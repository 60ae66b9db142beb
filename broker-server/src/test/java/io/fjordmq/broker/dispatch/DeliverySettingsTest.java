package io.fjordmq.broker.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.testing.RecordBuilder;
import org.junit.jupiter.api.Test;

class DeliverySettingsTest {

  @Test
  void shouldNameTheInvalidSetting() {
    assertThatThrownBy(() -> settings(0, 10, 20))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("outboxDeliveries must be at least 1, not 0");
    assertThatThrownBy(() -> settings(1, 10, 9))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("mailboxCapacity must be at least 10, not 9");
    assertThat(settings(1, 10, 10).mailboxCapacity()).isEqualTo(10);
  }

  private static DeliverySettings settings(int outbox, long highWater, long capacity) {
    return RecordBuilder.from(DeliverySettings.DEFAULTS)
        .with(DeliverySettings::outboxDeliveries, outbox)
        .with(DeliverySettings::mailboxHighWater, highWater)
        .with(DeliverySettings::mailboxCapacity, capacity)
        .build();
  }
}
