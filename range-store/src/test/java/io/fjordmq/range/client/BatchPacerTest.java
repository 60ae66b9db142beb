package io.fjordmq.range.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.common.ManualTimers;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchPacerTest {
  private static final int SMALL_BATCH_COMMANDS = RangeClientSettings.DEFAULTS.flushCommands() - 1;

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
    pacer.onBatchStarted(1);
    assertThat(pacer.mustWait(1)).isFalse();
    assertThat(pacer.mustWait(SMALL_BATCH_COMMANDS)).isFalse();
  }

  @Test
  void shouldSpaceTheBatchesOfABusyRange() {
    pacer.onBatchStarted(2);
    timers.advance(interval.minusMillis(1));
    assertThat(pacer.mustWait(1)).isTrue();
    timers.advance(Duration.ofMillis(1));
    assertThat(pacer.mustWait(1)).isFalse();
  }

  @Test
  void shouldNotifyOnceAtTheEndOfAPause() {
    pacer.onBatchStarted(2);
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
      pacer.onBatchStarted(2);
      assertThat(pacer.mustWait(1)).isTrue();
      timers.advance(interval);
      assertThat(pauseEnds).isEqualTo(pause);
    }
  }

  @Test
  void shouldNotDelayALargeBatch() {
    pacer.onBatchStarted(SMALL_BATCH_COMMANDS);
    assertThat(pacer.mustWait(SMALL_BATCH_COMMANDS)).isTrue();
    assertThat(pacer.mustWait(SMALL_BATCH_COMMANDS + 1)).isFalse();
  }
}
