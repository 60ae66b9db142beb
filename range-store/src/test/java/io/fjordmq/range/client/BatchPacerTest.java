package io.fjordmq.range.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.common.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BatchPacerTest {
  private static final int SMALL_BATCH_COMMANDS = RangeClientSettings.DEFAULTS.flushCommands() - 1;
  private static final Duration MILLI = Duration.ofMillis(1);

  private final ManualTimers timers = new ManualTimers();
  private final Duration interval = RangeClientSettings.DEFAULTS.batchInterval();
  private int pauseEnds;
  private BatchPacer pacer = pacer(timers);

  private BatchPacer pacer(Timers pauses) {
    return new BatchPacer(RangeClientSettings.DEFAULTS, pauses, () -> pauseEnds++);
  }

  @BeforeEach
  void startSomeTimeAfterTheEpoch() {
    timers.advance(Duration.ofSeconds(1));
  }

  private void batch(int commands, boolean othersArrived, Duration latency) {
    pacer.onBatchStarted(commands);
    timers.advance(latency);
    pacer.onBatchApplied(othersArrived, 0);
  }

  /** Batches of several commands, each of which is applied within a millisecond. */
  private void makeBusy() {
    for (int i = 0; i < 8; i++) {
      batch(2, false, MILLI);
      timers.advance(interval);
    }
  }

  @Test
  void shouldNotDelayAClientThatWaitsForEachResponse() {
    for (int i = 0; i < 100; i++) {
      assertThat(pacer.mustWait(1)).isFalse();
      batch(1, false, MILLI);
    }
    assertThat(pacer.isBusy()).isFalse();
  }

  @Test
  void shouldBeBusyIfCommandsArriveWhileABatchIsInFlight() {
    for (int i = 0; i < 8; i++) {
      batch(1, true, MILLI);
    }
    assertThat(pacer.isBusy()).isTrue();
  }

  @Test
  void shouldStayBusyWhileOneInTwoBatchesHoldsSeveralCommands() {
    makeBusy();
    for (int i = 0; i < 100; i++) {
      batch(1 + i % 2, false, MILLI);
      assertThat(pacer.isBusy()).isTrue();
    }
  }

  @Test
  void shouldNoLongerBeBusyAfterSomeSingleCommands() {
    makeBusy();
    for (int i = 0; i < 16; i++) {
      batch(1, false, MILLI);
    }
    assertThat(pacer.isBusy()).isFalse();
  }

  @Test
  void shouldSpaceTheBatchesOfABusyRange() {
    makeBusy();
    batch(2, false, MILLI);
    timers.advance(interval.minusMillis(2));
    assertThat(pacer.mustWait(1)).isTrue();
    timers.advance(MILLI);
    assertThat(pacer.mustWait(1)).isFalse();
  }

  @Test
  void shouldMeasureThePauseFromTheResponseOfABatchThatTheLeaderDeferred() {
    makeBusy();
    batch(2, false, Duration.ofMillis(3)); // applied 2 ms later than usual
    timers.advance(interval.minusMillis(2));
    assertThat(pacer.mustWait(1)).isTrue();
    timers.advance(MILLI);
    assertThat(pacer.mustWait(1)).isFalse();
  }

  @Test
  void shouldSendTheNextBatchWhenTheLeaderExpectsIt() {
    makeBusy();
    pacer.onBatchStarted(2);
    timers.advance(MILLI);
    pacer.onBatchApplied(false, 5_000);
    timers.advance(Duration.ofMillis(4));
    assertThat(pacer.mustWait(1)).isTrue();
    timers.advance(MILLI);
    assertThat(pacer.mustWait(1)).isFalse();
  }

  @Test
  void shouldNotWaitForAnyTimeThatALeaderNames() {
    makeBusy();
    pacer.onBatchStarted(2);
    pacer.onBatchApplied(false, Long.MAX_VALUE);
    assertThat(pacer.mustWait(1)).isTrue();
    timers.advance(interval.multipliedBy(4));
    assertThat(pacer.mustWait(1)).isFalse();
  }

  @Test
  void shouldNotifyOnceAtTheEndOfAPause() {
    makeBusy();
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
    makeBusy();
    for (int pause = 1; pause <= 3; pause++) {
      pacer.onBatchStarted(2);
      assertThat(pacer.mustWait(1)).isTrue();
      timers.advance(interval);
      assertThat(pauseEnds).isEqualTo(pause);
    }
  }

  @Test
  void shouldNotDelayALargeBatch() {
    makeBusy();
    pacer.onBatchStarted(SMALL_BATCH_COMMANDS);
    assertThat(pacer.mustWait(SMALL_BATCH_COMMANDS)).isTrue();
    assertThat(pacer.mustWait(SMALL_BATCH_COMMANDS + 1)).isFalse();
  }

  @Test
  void shouldScheduleAnotherTimerIfOneIsLate() {
    List<Runnable> scheduled = new ArrayList<>();
    pacer = pacer(new SimTimers(timers::nowMillis, (task, delay) -> scheduled.add(task)));
    makeBusy();
    for (int round = 1; round <= 2; round++) {
      batch(2, false, MILLI);
      assertThat(pacer.mustWait(1)).isTrue();
      assertThat(pacer.mustWait(2)).isTrue();
      assertThat(scheduled).hasSize(round);
      timers.advance(interval);
    }
  }
}
