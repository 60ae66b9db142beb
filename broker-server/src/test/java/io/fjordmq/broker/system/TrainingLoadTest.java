package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.training.TrainingLoad;
import io.fjordmq.testing.FreePorts;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The load of a training run, shorter than in a build. */
@ExtendWith(SharedBroker.class)
class TrainingLoadTest {
  @Test
  void shouldServeEveryClient(SharedBroker.Port port) {
    assertThat(TrainingLoad.apply(List.of(port.number()), 1)).isPositive();
  }

  @Test
  void shouldDistributeClientsOverTheNodes(SharedBroker.Port port) {
    int unused = FreePorts.one();

    assertThat(TrainingLoad.apply(List.of(port.number(), port.number()), 1)).isPositive();
    assertThatThrownBy(() -> TrainingLoad.apply(List.of(port.number(), unused), 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no connect");
  }

  @Test
  void shouldFailWithoutABroker() {
    int unused = FreePorts.one();

    assertThatThrownBy(() -> TrainingLoad.apply(List.of(unused), 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no connect");
  }
}
