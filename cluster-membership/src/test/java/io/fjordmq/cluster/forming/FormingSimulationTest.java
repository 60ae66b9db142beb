package io.fjordmq.cluster.forming;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.sim.SimDisk;
import io.fjordmq.cluster.forming.FormingWorld.Defects;
import io.fjordmq.cluster.forming.FormingWorld.Scenario;
import io.fjordmq.cluster.peer.AddressCalls;
import io.fjordmq.testing.Seeds;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Empty nodes with {@code expectNodes} form one cluster, whatever fails meanwhile; see {@link
 * FormingWorld}. {@link Seeds} determines the number of runs.
 */
class FormingSimulationTest {

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @CsvSource({"2,200", "3,300", "5,200"})
  void shouldFormOneClusterOfAllNodesWhateverIsLost(int nodes, int defaultSeeds) {
    Seeds seeds = Seeds.withDefaultCount(defaultSeeds);
    Totals totals = new Totals();
    seeds.run(seed -> totals.add(run(seed, Scenario.ofAll(nodes), Defects.NONE)));
    if (seeds.areEnough()) {
      assertThat(totals.losses).isGreaterThan((int) seeds.count());
      assertThat(totals.blocked).as("rarely needs an operator").isLessThan((int) seeds.count() / 4);
    }
  }

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @CsvSource({"4,3,200", "5,3,200", "5,4,200", "7,4,100"})
  void shouldFormOneClusterOfMoreNodesThanExpected(int nodes, int expected, int defaultSeeds) {
    Seeds.withDefaultCount(defaultSeeds)
        .run(seed -> run(seed, Scenario.ofMost(nodes, expected), Defects.NONE));
  }

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @CsvSource({"4,3,400", "5,3,400", "7,4,200"})
  void shouldFormOneClusterWhilePartitionsShift(int nodes, int expected, int defaultSeeds) {
    Seeds.withDefaultCount(defaultSeeds)
        .run(seed -> runShifting(seed, Scenario.ofMost(nodes, expected), Defects.NONE));
  }

  /** The seeds name all six, so that a majority of them has to take part. */
  @Test
  @Tag(Seeds.TAG)
  void shouldNotFormTwoClustersOfHalfTheNodesThatTheSeedsName() {
    Seeds.withDefaultCount(100).run(seed -> run(seed, new Scenario(6, 3, 0, 1), Defects.NONE));
  }

  @Test
  @Tag(Seeds.TAG)
  void shouldFormQuicklyWithoutFaults() {
    Seeds.withDefaultCount(50)
        .run(
            seed -> {
              try (FormingWorld world = new FormingWorld(seed, Scenario.ofAll(3), Defects.NONE)) {
                world.runCalmly();
              }
            });
  }

  /** The documented limit: expectNodes must be more than half of the nodes. */
  @Test
  void shouldDetectTwoClustersOfHalfTheNodesThatDoNotKnowEachOther() {
    assertThat(find("two halves", new Scenario(6, 3, 0, 2), Defects.NONE))
        .hasMessageContaining("there are two clusters");
  }

  @Test
  void shouldDetectPromisesThatAreNotSynced() {
    Defects unsynced =
        new Defects() {
          @Override
          public FormingStore store(SimWaitingNode node, SimDisk disk) {
            return new FormingStore() {
              @Override
              public Optional<FormingState> load() {
                return node.load();
              }

              @Override
              public void save(FormingState state) throws IOException {
                node.save(state, state.promise() == null);
              }
            };
          }
        };
    assertThat(findShifting("promises are not synced", 119, unsynced))
        .hasMessageContaining("there are two clusters");
  }

  @Test
  void shouldDetectFoundersThatDoNotWaitForPromises() {
    assertThat(findShifting("nodes are counted", 75, new CountsWithoutPromise()))
        .hasMessageContaining("there are two clusters");
  }

  @Test
  void shouldDetectFoundersThatNeedOneNodeLess() {
    Defects fewer =
        new Defects() {
          @Override
          public int expectNodes(int configured) {
            return configured - 1;
          }
        };
    assertThat(find("one node less", Scenario.ofAll(3), fewer))
        .hasMessageMatching("(?s).*(there are two clusters|only . nodes had been started).*");
  }

  @Test
  void shouldDetectNodesThatForgetTheirPromiseAtARestart() {
    Defects releases =
        new Defects() {
          @Override
          public FormingStore store(SimWaitingNode node, SimDisk disk) {
            return new FormingStore() {
              @Override
              public Optional<FormingState> load() {
                return node.load().map(FormingState::withoutPromise);
              }

              @Override
              public void save(FormingState state) throws IOException {
                node.save(state);
              }
            };
          }
        };
    assertThat(findShifting("promises end with a restart", 36, releases))
        .hasMessageContaining("there are two clusters");
  }

  /** Takes every node that it has asked for one that has promised. */
  private static final class CountsWithoutPromise implements Defects {
    @Override
    public AddressCalls calls(SimWaitingNode node) {
      return (address, service, request, timeout) -> {
        FormationRequest decoded = FormationRequest.decode(request);
        return node.ask(address, service, request, timeout)
            .thenApply(response -> decoded.isProposal() ? promised(decoded, response) : response);
      };
    }

    private static byte[] promised(FormationRequest proposal, byte[] response) {
      WaitingNode node = WaitingNode.decode(response);
      Promise promise = new Promise(proposal.sender().node(), proposal.sender().number());
      return new WaitingNode(
              node.node(),
              node.process(),
              node.address(),
              node.env(),
              node.expectNodes(),
              node.number(),
              promise,
              node.reached())
          .encode();
    }
  }

  private static final class Totals {
    int losses;
    int blocked;

    void add(FormingWorld world) {
      losses += world.losses();
      blocked += world.wasBlocked() ? 1 : 0;
    }
  }

  private static FormingWorld run(long seed, Scenario scenario, Defects defects) {
    try (FormingWorld world = new FormingWorld(seed, scenario, defects)) {
      world.run();
      return world;
    }
  }

  private static void runShifting(long seed, Scenario scenario, Defects defects) {
    try (FormingWorld world = new FormingWorld(seed, scenario, defects)) {
      world.runWithShiftingPartitions();
    }
  }

  private static AssertionError findShifting(String defect, int likely, Defects defects) {
    return Seeds.find(
        defect, likely, 400, seed -> runShifting(seed, Scenario.ofMost(5, 3), defects));
  }

  private static AssertionError find(String defect, Scenario scenario, Defects defects) {
    return Seeds.find(defect, 300, seed -> run(seed, scenario, defects));
  }
}
