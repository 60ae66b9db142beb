package io.fjordmq.range.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Recordings are read in the format in which they are written, and in no other. */
class RecordedLoadTest {
  private static final String HEAD = "fjordmq-load 1 inbox\n";

  @Test
  void shouldAssignTheSampleOfTenSecondsToEachOfThem() {
    RecordedLoad load =
        RecordedLoad.read(HEAD + "# a remark\ns 3 40\ns 0 0\nt 900 0 2*3\ns 1 7\nt 0\ns 5 5\n");
    assertThat(load.store()).isEqualTo("inbox");
    assertThat(load.seconds())
        .containsExactly(
            new RecordedLoad.Second(3, 40, 900, List.of(0, 2, 2, 2)),
            new RecordedLoad.Second(0, 0, 900, List.of(0, 2, 2, 2)),
            new RecordedLoad.Second(1, 7, 0, List.of()));
  }

  @Test
  void shouldNameTheInvalidLine() {
    for (String wrong :
        List.of(
            "s 3", "s 3 4 5", "s x 4", "t", "t 5 -1", "t 5 1*0", "t 5 1*999999999", "u 1", "")) {
      assertThatThrownBy(() -> RecordedLoad.read(HEAD + "s 1 1\n" + wrong + "\n"))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("line 3 of a recording");
    }
    for (String other : List.of("", "fjordmq-load 2 inbox\n", "s 1 1\n")) {
      assertThatThrownBy(() -> RecordedLoad.read(other)).hasMessageContaining("fjordmq-load 1 ");
    }
  }
}
