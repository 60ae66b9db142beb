package io.fjordmq.cluster.consensus.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeedsTest {

  @Test
  void shouldSayHowToRepeatTheFirstRunThatFails() {
    List<Long> played = new ArrayList<>();
    AssertionError found =
        Seeds.find(
            "fails from the third on",
            5,
            seed -> {
              played.add(seed);
              if (seed >= 3) {
                throw new IOException("broken");
              }
            });
    assertThat(played).containsExactly(1L, 2L, 3L);
    assertThat(found).hasMessageContaining("-Dfjordmq.sim.seed=3").hasMessageContaining("broken");
  }

  @Test
  void shouldLookForADefectWhereItIsLikelyFirst() {
    List<Long> played = new ArrayList<>();
    AssertionError found =
        Seeds.find(
            "fails with the second alone",
            4,
            5,
            seed -> {
              played.add(seed);
              if (seed == 2) {
                throw new IOException("broken");
              }
            });
    assertThat(played).containsExactly(4L, 1L, 2L);
    assertThat(found).hasMessageContaining("-Dfjordmq.sim.seed=2");
  }

  @Test
  void shouldNotBeContentWithADefectThatNobodyFinds() {
    assertThatThrownBy(() -> Seeds.find("none at all", 5, seed -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("none at all");
  }
}
