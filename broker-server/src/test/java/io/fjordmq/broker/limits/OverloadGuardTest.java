package io.fjordmq.broker.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.testing.RecordBuilder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests when overload begins and ends, with injected readings and an injected clock. */
class OverloadGuardTest {
  private final OverloadSettings settings = OverloadSettings.DEFAULTS;
  private long now;
  private final OverloadGuard guard =
      new OverloadGuard(
          settings,
          () -> now,
          new FileDescriptors(() -> FileDescriptors.Count.UNKNOWN, 0, () -> 0));

  private boolean isOverloadedAt(long millis, int heap, int direct, long lag) {
    now = millis;
    guard.check(new OverloadReading(heap, direct, lag));
    return guard.isOverloaded();
  }

  @ParameterizedTest
  @CsvSource({
    "84, 84, 1999, false,",
    "85,  0,    0, true, heap after garbage collection 85 %",
    " 0, 85,    0, true, direct memory 85 %",
    " 0,  0, 2000, true, event loop lag 2000 ms"
  })
  void shouldBecomeOverloadedAtEachUpperThreshold(
      int heap, int direct, long lag, boolean overloaded, String reason) {
    assertThat(isOverloadedAt(0, heap, direct, lag)).isEqualTo(overloaded);
    if (overloaded) {
      assertThat(guard.reasons()).singleElement().asString().startsWith(reason);
    } else {
      assertThat(guard.reasons()).isEmpty();
    }
  }

  @Test
  void shouldRecoverAfterAllReadingsStayBelowTheLowerThresholds() {
    assertThat(isOverloadedAt(0, 90, 0, 0)).isTrue();
    assertThat(isOverloadedAt(1_000, 71, 0, 0)).as("between the thresholds").isTrue();
    assertThat(isOverloadedAt(2_000, 10, 0, 0)).isTrue();
    assertThat(isOverloadedAt(2_500, 10, 71, 0))
        .as("another reading is between its thresholds")
        .isTrue();
    assertThat(isOverloadedAt(4_000, 10, 10, 0)).isTrue();
    assertThat(guard.reasons()).containsExactly("recovering from overload");
    assertThat(isOverloadedAt(4_500, 10, 10, 0)).isFalse();
    assertThat(isOverloadedAt(4_600, 84, 84, 0)).as("hysteresis").isFalse();
    assertThat(guard.reasons()).isEmpty();
  }

  @Test
  void shouldTriggerDisconnectingStuckClientsPeriodicallyWhileMemoryIsShort() {
    assertThat(guard.check(new OverloadReading(0, 0, 5_000))).as("memory is not short").isFalse();
    assertThat(guard.check(new OverloadReading(90, 0, 0))).isTrue();
    now = 9_999;
    assertThat(guard.check(new OverloadReading(90, 0, 0))).isFalse();
    now = 10_000;
    assertThat(guard.check(new OverloadReading(0, 80, 0))).isTrue();
  }

  @Test
  void shouldOnlyMeasureWhenDisabled() {
    OverloadGuard off =
        new OverloadGuard(
            RecordBuilder.from(OverloadSettings.DEFAULTS)
                .with(OverloadSettings::enabled, false)
                .build(),
            () -> now,
            new FileDescriptors(() -> FileDescriptors.Count.UNKNOWN, 0, () -> 0));
    off.check(new OverloadReading(100, 100, 100_000));
    assertThat(off.isOverloaded()).isFalse();
    assertThat(off.reading().heapPercent()).isEqualTo(100);
  }

  @Test
  void shouldReportExhaustedFileDescriptorsWithoutBeingOverloaded() {
    FileDescriptors descriptors =
        new FileDescriptors(() -> new FileDescriptors.Count(100, 300), 199, () -> now);
    OverloadGuard few = new OverloadGuard(settings, () -> now, descriptors);
    assertThat(few.admitConnection()).isTrue();
    assertThat(few.reasons()).isEmpty();
    assertThat(few.admitConnection()).isFalse();
    assertThat(few.reasons()).singleElement().asString().startsWith("file descriptors: 101 of 300");
    assertThat(few.isOverloaded()).as("connected clients are not affected").isFalse();
    few.onConnectionClosed();
    assertThat(few.admitConnection()).isTrue();
    few.onConnectionClosed();
    for (int i = 0; i < 3; i++) {
      now += 1_000;
      few.countDescriptors();
    }
    assertThat(few.reasons()).isEmpty();
  }

  @Test
  void shouldRejectALowerThresholdThatIsNotBelowTheUpperOne() {
    assertThatThrownBy(
            () ->
                RecordBuilder.from(OverloadSettings.DEFAULTS)
                    .with(OverloadSettings::heapHighPercent, 70)
                    .with(OverloadSettings::heapLowPercent, 70)
                    .build())
        .hasMessage("heapLowPercent must be between 0 and 69, less than heapHighPercent, not 70");
  }

  @Test
  void shouldMeasureTheLagOfABusyEventLoop() {
    ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    AtomicLong now = new AtomicLong(-5_000_000);
    LoopLag lag = new LoopLag(List.<Executor>of(tasks::add), now::get);
    assertThat(tasks).hasSize(1);
    now.addAndGet(20_000_000);
    assertThat(lag.maxMillis()).as("still waiting").isEqualTo(20);
    assertThat(tasks).as("no second probe behind the first").hasSize(1);
    tasks.remove().run();
    now.addAndGet(20_000_000);
    assertThat(lag.maxMillis()).as("the probe ran late").isEqualTo(20);
    tasks.remove().run();
    assertThat(lag.maxMillis()).as("the probe ran in time").isZero();
  }

  @Test
  void shouldReportMemoryUseInPercent() {
    MemoryInUse memory = new MemoryInUse();
    System.gc();
    assertThat(memory.heapPercent()).as("rounded up").isBetween(1, 100);
    assertThat(memory.directPercent()).isBetween(0, 100);
  }
}
