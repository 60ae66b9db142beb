package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.ConnectionQuota.Exceeded;
import org.junit.jupiter.api.Test;

class ConnectionQuotaTest {
  private final ConnectionQuota quota = new ConnectionQuota(() -> new ConnectionLimits(1, 1, 0));

  @Test
  void shouldNotChargeTheRateForRefusedConnections() {
    assertThat(quota.admit(0, false, 0).exceeded()).isNull();
    for (int i = 0; i < 10; i++) {
      assertThat(quota.admit(1_000, false, 0).exceeded()).isEqualTo(Exceeded.CONNECTIONS);
    }
    quota.release();
    assertThat(quota.admit(1_000, false, 0).exceeded()).isNull();
  }

  @Test
  void shouldNotCountConnectionsAboveTheRate() {
    assertThat(quota.admit(0, false, 0).exceeded()).isNull();
    quota.release();
    assertThat(quota.admit(0, false, 0).exceeded()).isEqualTo(Exceeded.CONNECTION_RATE);
    assertThat(quota.connections()).isZero();
    assertThat(quota.admit(1_000, false, 0).exceeded()).isNull();
  }
}
