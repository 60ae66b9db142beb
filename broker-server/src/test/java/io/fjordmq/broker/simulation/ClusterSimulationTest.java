package io.fjordmq.broker.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.Seeds;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@link ClusterSimulation} with many seeds; {@link Seeds} determines how many. The failure of a
 * run with a single seed includes what happened to nodes and clients.
 */
@Tag("slow")
class ClusterSimulationTest {
  @TempDir(factory = MemoryDirectory.class)
  Path directory;

  @ParameterizedTest
  @CsvSource({"3,30", "5,8"})
  void shouldKeepItsGuarantees(int nodes, int usualSeeds) {
    Seeds seeds = Seeds.withDefaultCount(usualSeeds);
    boolean printsRecentEvents = seeds.count() == 1;
    ClusterSimulation.RunStatistics[] sum = {ClusterSimulation.RunStatistics.NONE};
    seeds.run(
        seed -> {
          Path installs = directory.resolve(nodes + "s" + seed);
          ClusterSimulation run =
              new ClusterSimulation(seed, nodes, installs, ClusterDefect.NONE, printsRecentEvents);
          sum[0] = sum[0].plus(run.run());
        });
    if (seeds.areEnough()) { // the runs covered the intended situations
      assertThat(sum[0].received()).isGreaterThan(50 * seeds.count());
      assertThat(sum[0].compared()).isGreaterThan(20 * seeds.count());
      assertThat(sum[0].routes()).isGreaterThan(5 * seeds.count());
      assertThat(sum[0].refusals()).isPositive();
      assertThat(sum[0].rebuilt()).isPositive();
      if (nodes == 3) { // it is rare
        assertThat(sum[0].excused()).isPositive();
      }
      // About one a seed; half as many or twice as many happen with eight seeds.
      assertThat(sum[0].merges()).isGreaterThan(seeds.count() / 3);
    }
  }
}
