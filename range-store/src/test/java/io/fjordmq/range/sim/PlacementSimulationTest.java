package io.fjordmq.range.sim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fjordmq.cluster.consensus.sim.Seeds;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Ranges move over a cluster in which everything goes wrong, and nothing is lost or doubled; {@link
 * Seeds} says how many runs.
 */
class PlacementSimulationTest {
  private static final int USUAL_SEEDS = 40;
  private static final int MOST_SEEDS = 150;

  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.fjordmq");

  @TempDir Path directory;

  @BeforeAll
  static void keepQuiet() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void speakAgain() {
    LOG.setLevel(null);
  }

  @Test
  void shouldBringEveryRangeWhereItShouldBeWhateverGoesWrong() {
    Seeds seeds = Seeds.usually(USUAL_SEEDS);
    SimCounts counts = new SimCounts();
    seeds.play(seed -> run(seed, PlacementSimulation.Defect.NONE, counts));
    if (seeds.areEnough()) { // the runs did meet what they are for
      assertThat(counts.acknowledgements).isGreaterThan(50 * seeds.count());
      assertThat(counts.redirects).isGreaterThan(5 * seeds.count());
      assertThat(counts.removals).isGreaterThan(seeds.count() / 4);
      assertThat(counts.probes).isGreaterThan(0);
      assertThat(counts.installs).isGreaterThan(seeds.count() / 2);
      assertThat(counts.splits).isGreaterThan(seeds.count() / 2);
      assertThat(counts.merges).isGreaterThan(seeds.count() / 4);
      assertThat(counts.mergesGivenUp).isGreaterThan(seeds.count() / 10);
      assertThat(counts.canceled).isGreaterThan(seeds.count() / 10);
      assertThat(counts.wishes).isGreaterThan(seeds.count() / 10);
      assertThat(counts.sizeSplits).isGreaterThan(0);
      assertThat(counts.uneven).isGreaterThan(0);
      assertThat(counts.damages).isGreaterThan(seeds.count() / 10);
      assertThat(counts.rebuilds).isGreaterThan(seeds.count() / 20);
    }
  }

  private void run(long seed, PlacementSimulation.Defect defect, SimCounts counts) {
    new PlacementSimulation(seed, defect, directory.resolve("installs-" + seed), counts).run();
  }

  // A simulation that cannot fail shows nothing.

  @Test
  void shouldFindALeaderThatAnswersQueriesWithoutAskingWhetherItLeads() {
    PlacementSimulation.Defect unconfirmed = PlacementSimulation.Defect.READS_UNCONFIRMED;
    int likely = 19; // about one in thirty finds it
    assertThat(
            Seeds.find(unconfirmed.toString(), likely, MOST_SEEDS, seed -> play(seed, unconfirmed)))
        .hasMessageContaining("reads all");
  }

  @Test
  void shouldFindANodeThatRemovesAReplicaTheGroupStillHas() {
    assertThat(find(PlacementSimulation.Defect.HASTY_DROPS))
        .message()
        .containsAnyOf("counts on", "every range is where it should be"); // or later: it is gone
  }

  @Test
  void shouldFindAReplicaThatIsEmptiedAndKeepsItsVote() {
    assertThat(find(PlacementSimulation.Defect.EMPTIED_REPLICAS))
        .message()
        .containsAnyOf("counts on", "every range is where it should be");
  }

  @Test
  void shouldFindAMergeThatDoesNotWaitForAllReplicas() {
    PlacementSimulation.Defect hasty = PlacementSimulation.Defect.HASTY_ABSORPTIONS;
    int likely = 101; // about one in a hundred finds it
    assertThat(Seeds.find(hasty.toString(), likely, MOST_SEEDS, seed -> play(seed, hasty)))
        .isNotNull();
  }

  @Test
  void shouldFindARecordThatIsLeftAfterAMerge() {
    assertThat(find(PlacementSimulation.Defect.FORGOTTEN_RECORDS))
        .hasMessageContaining("every range is where it should be");
  }

  private AssertionError find(PlacementSimulation.Defect defect) {
    return Seeds.find(defect.toString(), MOST_SEEDS, seed -> play(seed, defect));
  }

  private void play(long seed, PlacementSimulation.Defect defect) {
    run(seed, defect, new SimCounts());
  }
}
