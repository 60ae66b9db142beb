package io.fjordmq.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

/** Scales of plots. */
class AxisTest {
  @Test
  void shouldMarkRoundNumbers() {
    assertThat(Axis.fromZero(87).marks()).containsExactly(0.0, 20.0, 40.0, 60.0, 80.0, 100.0);
    assertThat(Axis.logarithmic(0.3, 2_000).marks())
        .containsExactly(0.1, 1.0, 10.0, 100.0, 1_000.0, 10_000.0);
    assertThat(Axis.between(0, 0).marks()).isNotEmpty();
  }

  @Test
  void shouldAbbreviateNumbers() {
    assertThat(Axis.text(0)).isEqualTo("0");
    assertThat(Axis.text(0.5)).isEqualTo("0.5");
    assertThat(Axis.text(12.34)).isEqualTo("12.3");
    assertThat(Axis.text(1_500)).isEqualTo("1.5k");
    assertThat(Axis.text(200_000)).isEqualTo("200k");
    assertThat(Axis.text(2_000_000)).isEqualTo("2M");
  }

  @Property
  void shouldShowEveryValue(@ForAll @DoubleRange(min = 0, max = 1e9) double highest) {
    Axis axis = Axis.fromZero(highest);
    assertThat(axis.high()).isGreaterThanOrEqualTo(highest);
    assertThat(axis.position(highest)).isBetween(0.0, 1.0);
    assertThat(axis.marks()).hasSizeBetween(2, 12);
    if (highest > 0.01) {
      assertThat(Axis.logarithmic(highest / 100, highest).high())
          .isGreaterThanOrEqualTo(highest * 0.999);
    }
  }
}
