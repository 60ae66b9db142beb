package io.fjordmq.range.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.common.ManualTimers;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchPacerTest {
  private static final int FEW = RangeClientSettings.DEFAULTS.flushCommands() - 1;

  private final ManualTimers timers = new ManualTimers();
  private final Duration interval = RangeClientSettings.DEFAULTS.batchInterval();
  private int pauseEnds;
  private final BatchPacer pacer =
      new BatchPacer(RangeClientSettings.DEFAULTS, timers, () -> pauseEnds++);

  @BeforeEach
  void startSomeTimeAfterTheEpoch() {
    timers.advance(Duration.ofSeconds(1));
  }

  @Test
  void shouldNotDelaySingleCommands() {
    assertThat(pacer.mustWait(1)).isFalse();
    pacer.started(1);
    assertThat(pacer.mustWait(1)).isFalse();
    assertThat(pacer.mustWait(FEW)).isFalse();
  }

  @Test
  void shouldSpaceTheBatchesOfABusyRange() {
    pacer.started(2);
    timers.advance(interval.minusMillis(1));
    assertThat(pacer.mustWait(1)).isTrue();
    timers.advance(Duration.ofMillis(1));
    assertThat(pacer.mustWait(1)).isFalse();
  }

  @Test
  void shouldNotifyOnceAtTheEndOfAPause() {
    pacer.started(2);
    assertThat(pacer.mustWait(1)).isTrue();
    assertThat(pacer.mustWait(2)).isTrue();
    assertThat(pauseEnds).isZero();
    timers.advance(interval);
    assertThat(pauseEnds).isEqualTo(1);
    timers.advance(interval);
    assertThat(pauseEnds).isEqualTo(1);
  }

  @Test
  void shouldNotifyAtTheEndOfEveryPause() {
    for (int pause = 1; pause <= 3; pause++) {
      pacer.started(2);
      assertThat(pacer.mustWait(1)).isTrue();
      timers.advance(interval);
      assertThat(pauseEnds).isEqualTo(pause);
    }
  }

  @Test
  void shouldNotDelayALargeBatch() {
    pacer.started(FEW);
    assertThat(pacer.mustWait(FEW)).isTrue();
    assertThat(pacer.mustWait(FEW + 1)).isFalse();
  }
}
