package io.fjordmq.range.sim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fjordmq.testing.MemoryDirectory;
import io.fjordmq.testing.Seeds;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Ranges move between nodes while many kinds of failures occur, and nothing is lost or duplicated;
 * {@link Seeds} sets the number of runs.
 */
class PlacementSimulationTest {
  private static final int DEFAULT_SEEDS = 40;
  private static final int MAX_SEEDS = 150;

  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.fjordmq");

  @TempDir(factory = MemoryDirectory.class)
  Path directory;

  @BeforeAll
  static void muteLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void unmuteLog() {
    LOG.setLevel(null);
  }

  @Test
  @Tag(Seeds.TAG)
  void shouldReachTheDesiredStateAfterAnyFailures() {
    Seeds seeds = Seeds.withDefaultCount(DEFAULT_SEEDS);
    SimCounts counts = new SimCounts();
    seeds.run(seed -> run(seed, PlacementSimulation.Defect.NONE, counts));
    if (seeds.areEnough()) { // the runs encountered the intended faults
      assertThat(counts.acknowledgements).isGreaterThan(50 * seeds.count());
      assertThat(counts.redirects).isGreaterThan(5 * seeds.count());
      assertThat(counts.removals).isGreaterThan(seeds.count() / 4);
      assertThat(counts.staleReadChecks).isGreaterThan(0);
      assertThat(counts.installs).isGreaterThan(seeds.count() / 2);
      assertThat(counts.splits).isGreaterThan(seeds.count() / 2);
      assertThat(counts.merges).isGreaterThan(seeds.count() / 4);
      assertThat(counts.abandonedMerges).isGreaterThan(seeds.count() / 10);
      assertThat(counts.canceledChanges).isGreaterThan(seeds.count() / 10);
      assertThat(counts.heldRanges).isGreaterThan(seeds.count() / 4);
      assertThat(counts.pins).isGreaterThan(seeds.count() / 2);
      assertThat(counts.loadSplits).isGreaterThan(seeds.count() / 10);
      assertThat(counts.sizeSplits).isGreaterThan(0);
      assertThat(counts.unevenChecks).isGreaterThan(0);
      assertThat(counts.damagedReplicas).isGreaterThan(seeds.count() / 10);
      assertThat(counts.rebuilds).isGreaterThan(seeds.count() / 20);
    }
  }

  private void run(long seed, PlacementSimulation.Defect defect, SimCounts counts) {
    new PlacementSimulation(seed, defect, directory.resolve("installs-" + seed), counts).run();
  }

  // A simulation that cannot fail proves nothing.

  @Test
  void shouldDetectALeaderThatDoesNotConfirmItsLeadershipForQueries() {
    PlacementSimulation.Defect unconfirmed = PlacementSimulation.Defect.UNCONFIRMED_READS;
    int likely = 1; // about one seed in fifty finds it
    assertThat(
            Seeds.find(
                unconfirmed.toString(), likely, MAX_SEEDS, seed -> runSeed(seed, unconfirmed)))
        .hasMessageContaining("must read every");
  }

  @Test
  void shouldDetectTheRemovalOfAMemberReplica() {
    assertThat(find(PlacementSimulation.Defect.EARLY_DROPS))
        .message()
        .containsAnyOf("still a member", "every range is where it should be"); // or only later
  }

  @Test
  void shouldDetectAnEmptiedReplicaThatKeepsItsVote() {
    PlacementSimulation.Defect emptied = PlacementSimulation.Defect.EMPTIED_REPLICAS;
    int likely = 9;
    assertThat(Seeds.find(emptied.toString(), likely, MAX_SEEDS, seed -> runSeed(seed, emptied)))
        .message()
        .containsAnyOf("still a member", "every range is where it should be");
  }

  @Test
  void shouldDetectAMergeThatDoesNotWaitForAllReplicas() {
    PlacementSimulation.Defect absorbsEarly = PlacementSimulation.Defect.EARLY_ABSORPTIONS;
    int likely = 36; // few seeds find it
    assertThat(
            Seeds.find(
                absorbsEarly.toString(), likely, MAX_SEEDS, seed -> runSeed(seed, absorbsEarly)))
        .isNotNull();
  }

  @Test
  void shouldDetectARecordThatIsNotDeletedAfterAMerge() {
    PlacementSimulation.Defect forgotten = PlacementSimulation.Defect.UNDELETED_RECORDS;
    int likely = 2; // most seeds find it
    assertThat(
            Seeds.find(forgotten.toString(), likely, MAX_SEEDS, seed -> runSeed(seed, forgotten)))
        .hasMessageContaining("every range is where it should be");
  }

  @Test
  void shouldDetectAPinThatIsNotRemovedWithItsNodeOrRange() {
    PlacementSimulation.Defect unremoved = PlacementSimulation.Defect.UNREMOVED_PINS;
    int likely = 3; // only every fourth run has pins
    assertThat(
            Seeds.find(unremoved.toString(), likely, MAX_SEEDS, seed -> runSeed(seed, unremoved)))
        .hasMessageContaining("every range is where it should be");
  }

  private AssertionError find(PlacementSimulation.Defect defect) {
    return Seeds.find(defect.toString(), MAX_SEEDS, seed -> runSeed(seed, defect));
  }

  private void runSeed(long seed, PlacementSimulation.Defect defect) {
    run(seed, defect, new SimCounts());
  }
}
