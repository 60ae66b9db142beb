package io.fjordmq.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SeedsTest {

  @Test
  void shouldRunAShareOfTheSeedsButAtLeastOne() {
    assertThat(Seeds.share(60, 100)).isEqualTo(60);
    assertThat(Seeds.share(60, 10)).isEqualTo(6);
    assertThat(Seeds.share(5, 10)).isEqualTo(1);
  }

  @Test
  void shouldReportHowToRepeatTheFirstFailingRun() {
    List<Long> executedSeeds = new ArrayList<>();
    AssertionError found =
        Seeds.find(
            "fails from the third seed on",
            5,
            seed -> {
              executedSeeds.add(seed);
              if (seed >= 3) {
                throw new IOException("broken");
              }
            });
    assertThat(executedSeeds).containsExactly(1L, 2L, 3L);
    assertThat(found).hasMessageContaining("-Dfjordmq.sim.seed=3").hasMessageContaining("broken");
  }

  @Test
  void shouldTryTheLikelySeedFirst() {
    List<Long> executedSeeds = new ArrayList<>();
    AssertionError found =
        Seeds.find(
            "fails only with the second seed",
            4,
            5,
            seed -> {
              executedSeeds.add(seed);
              if (seed == 2) {
                throw new IOException("broken");
              }
            });
    assertThat(executedSeeds).containsExactly(4L, 1L, 2L);
    assertThat(found).hasMessageContaining("-Dfjordmq.sim.seed=2");
  }

  @Test
  void shouldTryTheLikelySeedOnlyOnce() {
    List<Long> executedSeeds = new ArrayList<>();
    assertThatThrownBy(() -> Seeds.find("no defect", 2, 3, executedSeeds::add))
        .isInstanceOf(IllegalStateException.class);
    assertThat(executedSeeds).containsExactly(2L, 1L, 3L);
  }

  @Test
  void shouldFailIfNoSeedDetectsTheDefect() {
    assertThatThrownBy(() -> Seeds.find("no defect", 5, seed -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no defect");
  }
}
