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
  private int ends;
  private final BatchPacer pace =
      new BatchPacer(RangeClientSettings.DEFAULTS, timers, () -> ends++);

  @BeforeEach
  void startSomeTimeAfterTheEpoch() {
    timers.advance(Duration.ofSeconds(1));
  }

  @Test
  void shouldNotDelaySingleCommands() {
    assertThat(pace.mustWait(1)).isFalse();
    pace.started(1);
    assertThat(pace.mustWait(1)).isFalse();
    assertThat(pace.mustWait(FEW)).isFalse();
  }

  @Test
  void shouldSpaceTheBatchesOfABusyRange() {
    pace.started(2);
    timers.advance(interval.minusMillis(1));
    assertThat(pace.mustWait(1)).isTrue();
    timers.advance(Duration.ofMillis(1));
    assertThat(pace.mustWait(1)).isFalse();
  }

  @Test
  void shouldNotifyOnceAtTheEndOfAPause() {
    pace.started(2);
    assertThat(pace.mustWait(1)).isTrue();
    assertThat(pace.mustWait(2)).isTrue();
    assertThat(ends).isZero();
    timers.advance(interval);
    assertThat(ends).isEqualTo(1);
    timers.advance(interval);
    assertThat(ends).isEqualTo(1);
  }

  @Test
  void shouldNotifyAtTheEndOfEveryPause() {
    for (int pause = 1; pause <= 3; pause++) {
      pace.started(2);
      assertThat(pace.mustWait(1)).isTrue();
      timers.advance(interval);
      assertThat(ends).isEqualTo(pause);
    }
  }

  @Test
  void shouldNotDelayALargeBatch() {
    pace.started(FEW);
    assertThat(pace.mustWait(FEW)).isTrue();
    assertThat(pace.mustWait(FEW + 1)).isFalse();
  }
}
