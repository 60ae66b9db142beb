package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes of different versions in one cluster (decision 0101); see {@link UpgradeScenario}. */
class UpgradeSimulationTest {

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @CsvSource({"1,10", "3,30"})
  void shouldServeOnlyWithNodesThatSupportTheLevel(int nodes, int defaultSeeds) {
    Seeds seeds = Seeds.withDefaultCount(defaultSeeds);
    long[] refused = {0};
    long[] raised = {0};
    seeds.run(
        seed -> {
          UpgradeScenario run = run(seed, nodes, new SimVersions(false));
          refused[0] += run.refusedStarts();
          raised[0] += run.levelBeforeTheEnd() > 1 ? 1 : 0;
        });
    if (seeds.areEnough()) { // the runs encountered the intended changes
      assertThat(refused[0]).isGreaterThan(seeds.count());
      assertThat(raised[0]).isPositive();
    }
  }

  @Test
  void shouldDetectNodesThatAnnounceALevelThatTheyDoNotSupport() {
    AssertionError found =
        Seeds.find("false announcements", 10, seed -> run(seed, 3, new SimVersions(true)));
    assertThat(found).hasMessageContaining("serves and supports level");
  }

  private static UpgradeScenario run(long seed, int nodes, SimVersions versions) {
    try (SimMembers members = new SimMembers(seed, nodes, versions)) {
      UpgradeScenario scenario = members.upgrades(versions);
      scenario.run();
      return scenario;
    }
  }
}
