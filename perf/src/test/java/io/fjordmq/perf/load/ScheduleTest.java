package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** When messages are due. */
class ScheduleTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void shouldSpreadPublishersOverAnInterval() {
    Schedule schedule = Schedule.of(-SECOND, 0, 10, 2, 4);
    assertThat(schedule.intendedNanos(0, 0)).isEqualTo(-SECOND);
    assertThat(schedule.intendedNanos(1, 0)).isEqualTo(-SECOND + SECOND / 8);
    assertThat(schedule.intendedNanos(3, 2)).isEqualTo(3 * SECOND / 8);
    assertThat(schedule.due(0, -SECOND - 1)).isZero();
    assertThat(schedule.due(0, -SECOND)).isEqualTo(1);
    assertThat(schedule.due(3, 0)).isEqualTo(2);
  }

  @Test
  void shouldStopAtTheEndOfTheRun() {
    Schedule schedule = Schedule.of(0, 3, 7, 100, 7);
    assertThat(schedule.countedNanos()).isEqualTo(3 * SECOND);
    for (int publisher = 0; publisher < 7; publisher++) {
      assertThat(schedule.due(publisher, 1000 * SECOND)).isEqualTo(1000);
    }
  }

  @Property
  void shouldMakeMessagesDueAtTheirIntendedTime(
      @ForAll @IntRange(min = 1, max = 1000) int publishers,
      @ForAll @DoubleRange(min = 0.01, max = 1000) double perSecond,
      @ForAll @IntRange(max = 100) int number) {
    Schedule schedule = Schedule.of(12_345, 0, 1_000_000, perSecond, publishers);
    int publisher = number % publishers;
    long intended = schedule.intendedNanos(publisher, number);
    assertThat(schedule.due(publisher, intended)).isEqualTo(number + 1);
    assertThat(schedule.due(publisher, intended - 1)).isEqualTo(number);
  }
}
