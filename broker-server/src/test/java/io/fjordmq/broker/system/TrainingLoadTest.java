package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.training.TrainingLoad;
import io.fjordmq.testing.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The load of a training run, shorter than in a build. */
@ExtendWith(SharedBroker.class)
class TrainingLoadTest {
  @Test
  void shouldServeEveryClient(SharedBroker.Port port) {
    assertThat(TrainingLoad.apply(port.number(), 1)).isPositive();
  }

  @Test
  void shouldFailWithoutABroker() {
    int unused = FreePorts.one();

    assertThatThrownBy(() -> TrainingLoad.apply(unused, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no connect");
  }
}
