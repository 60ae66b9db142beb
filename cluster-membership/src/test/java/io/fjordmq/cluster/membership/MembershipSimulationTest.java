package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
import io.fjordmq.cluster.membership.LeaderResponse.Renewed;
import io.fjordmq.testing.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Nodes join, crash, return, start slowly, pause for seconds and are partitioned, on a network with
 * losses and delays. {@link SimMembers} checks the invariants after every event; once there are no
 * more faults, every node must serve. {@link Seeds} determines the number of runs.
 */
class MembershipSimulationTest {

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @CsvSource({"1,60", "3,60", "4,30", "5,30"})
  void shouldKeepEveryServingNodeCountedByEveryOther(int nodes, int defaultSeeds) {
    Seeds seeds = Seeds.withDefaultCount(defaultSeeds);
    SimMembers.Totals totals = new SimMembers.Totals();
    seeds.run(
        seed -> {
          try (SimMembers members = new SimMembers(seed, nodes, node -> SimNode.NONE)) {
            members.runWithFaults();
            totals.add(members);
          }
        });
    if (seeds.areEnough()) { // the runs encountered the intended faults
      assertThat(totals.admissions()).isGreaterThan(seeds.count() * nodes);
      if (nodes > 1) {
        assertThat(totals.endedIncarnations()).isGreaterThan(seeds.count() / 2);
        assertThat(totals.removals()).isGreaterThan(seeds.count() / 2);
      }
    }
  }

  @Test
  @Tag(Seeds.TAG)
  void shouldEndNoIncarnationWithoutFaults() {
    Seeds.withDefaultCount(60)
        .run(
            seed -> {
              try (SimMembers members = new SimMembers(seed, 3, node -> SimNode.NONE)) {
                members.runWithoutFaults();
              }
            });
  }

  @Test
  @Tag(Seeds.TAG)
  void shouldContinueAloneAfterAPauseLongerThanALease() {
    Seeds.withDefaultCount(20)
        .run(
            seed -> {
              try (SimMembers members = new SimMembers(seed, 1, node -> SimNode.NONE)) {
                members.runSingleNode();
              }
            });
  }

  @Test
  void shouldDetectNodesThatTrustTheirLeaseForTooLong() {
    SimNode.Defect slowClock =
        new SimNode.Defect() {
          @Override
          public double clockRate() {
            return 0.4;
          }
        };
    AssertionError found = find("slow clocks", node -> node % 2 == 1 ? slowClock : SimNode.NONE);
    assertThat(found)
        .hasMessageContaining("serves in an incarnation that the cluster knows to have ended");
  }

  @Test
  void shouldDetectNodesThatRenewLeasesWithoutLeading() {
    SimNode.Defect renewsWithoutLeading =
        new SimNode.Defect() {
          @Override
          public LeaderResponse respond(LeaderRequest request, LeaderResponse correct) {
            return request instanceof Renewal && !(correct instanceof Renewed)
                ? new Renewed(0, 0)
                : correct;
          }
        };
    AssertionError found = find("renewals by any node", node -> renewsWithoutLeading);
    assertThat(found)
        .hasMessageContaining("serves in an incarnation that the cluster knows to have ended");
  }

  @Test
  void shouldDetectNodesThatAreAdmittedTooEarly() {
    SimNode.Defect admitsEarly =
        new SimNode.Defect() {
          @Override
          public LeaderResponse respond(LeaderRequest request, LeaderResponse correct) {
            return correct instanceof Renewed renewed
                ? new Renewed(Long.MAX_VALUE, renewed.clusterMillis())
                : correct;
          }
        };
    AssertionError found = find("immediate admission", node -> admitsEarly);
    assertThat(found).hasMessageContaining("does not count");
  }

  @Test
  void shouldDetectNodesThatAreCountedWhileStarting() {
    SimNode.Defect admitsEarly =
        new SimNode.Defect() {
          @Override
          public boolean reportsReadyEarly() {
            return true;
          }
        };
    AssertionError found =
        find("ready immediately", node -> node == 2 ? admitsEarly : SimNode.NONE);
    assertThat(found).hasMessageContaining("which has not been ready in this incarnation");
  }

  @Test
  @Tag(Seeds.TAG)
  void shouldKeepClusterTimeDespiteClockFaults() {
    Seeds.withDefaultCount(40).run(seed -> runWithClockJumps(seed, SimNode.NONE));
  }

  @Test
  void shouldDetectLeadersThatReportTheirWallClock() {
    SimNode.Defect wallClock =
        new SimNode.Defect() {
          @Override
          public LeaderResponse respond(LeaderRequest request, LeaderResponse correct) {
            return correct instanceof Renewed renewed && request instanceof Renewal renewal
                ? new Renewed(renewed.appliedByAll(), renewal.clock().wallMillis())
                : correct;
          }
        };
    AssertionError found =
        Seeds.find(
            "wall clocks reported as cluster time", 30, seed -> runWithClockJumps(seed, wallClock));
    assertThat(found).hasMessageContaining("cluster time");
  }

  @Test
  void shouldDetectNodesThatDoNotNoticeASuspension() {
    SimNode.Defect missesSuspensions =
        new SimNode.Defect() {
          @Override
          public boolean ignoresWallClock() {
            return true;
          }
        };
    AssertionError found =
        Seeds.find("suspended machines", 60, seed -> runWithClockJumps(seed, missesSuspensions));
    assertThat(found)
        .hasMessageContaining("serves in an incarnation that the cluster knows to have ended");
  }

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @CsvSource({"1,5", "2,5", "3,10"})
  void shouldNotFollowClocksThatAreFarAheadWhenAllNodesRestart(int nodes, int defaultSeeds) {
    Seeds.withDefaultCount(defaultSeeds)
        .run(seed -> runWithFullRestarts(seed, nodes, SimNode.NONE));
  }

  @Test
  void shouldDetectNodesThatDoNotSaveClusterTime() {
    SimNode.Defect losesClusterTime =
        new SimNode.Defect() {
          @Override
          public boolean losesClusterTime() {
            return true;
          }
        };
    AssertionError found =
        Seeds.find(
            "no saved cluster time", 10, seed -> runWithFullRestarts(seed, 3, losesClusterTime));
    assertThat(found).hasMessageContaining("stamps a cluster time that is");
  }

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @CsvSource({"1,2", "3,4"})
  void shouldAdvanceClusterTimeAfterALongStopOnceTheOperatorAcceptsTheClocks(
      int nodes, int defaultSeeds) {
    Seeds.withDefaultCount(defaultSeeds)
        .run(
            seed -> {
              try (SimMembers members = new SimMembers(seed, nodes, node -> SimNode.NONE)) {
                members.clockFaults().runLongShutdown();
              }
            });
  }

  @ParameterizedTest
  @Tag(Seeds.TAG)
  @CsvSource({"3,12", "5,6"})
  void shouldEndTheIncarnationOfOneOfTwoPartitionedNodes(int nodes, int defaultSeeds) {
    Seeds.withDefaultCount(defaultSeeds)
        .run(seed -> runWithPartitionedPairs(seed, nodes, node -> SimNode.NONE));
  }

  /** The report of one of the two nodes is enough. */
  @Test
  @Tag(Seeds.TAG)
  void shouldEndTheIncarnationOfOneOfTwoNodesEvenIfOnlyOneReports() {
    Seeds.withDefaultCount(12)
        .run(
            seed ->
                runWithPartitionedPairs(
                    seed, 3, node -> node == seed % 3 ? REACHES_ALL : SimNode.NONE));
  }

  @Test
  void shouldDetectNodesThatDoNotReportUnreachableNodes() {
    AssertionError found =
        Seeds.find(
            "unnoticed partitions",
            5,
            seed -> runWithPartitionedPairs(seed, 3, node -> REACHES_ALL));
    assertThat(found).hasMessageContaining("0 of their incarnations ended");
  }

  @Test
  void shouldDetectLeadersThatRenewTheLeaseOfNeitherNode() {
    SimNode.Defect refusesBoth =
        new SimNode.Defect() {
          @Override
          public LeaderResponse respond(LeaderRequest request, LeaderResponse correct) {
            return request instanceof Renewal renewal && !renewal.unreachable().isEmpty()
                ? new LeaderResponse.NotRenewed("it does not reach all nodes")
                : correct;
          }
        };
    AssertionError found =
        Seeds.find(
            "both are refused", 5, seed -> runWithPartitionedPairs(seed, 3, node -> refusesBoth));
    assertThat(found).hasMessageContaining("neither");
  }

  private static final SimNode.Defect REACHES_ALL =
      new SimNode.Defect() {
        @Override
        public boolean claimsToReachOthers() {
          return true;
        }
      };

  private static void runWithPartitionedPairs(long seed, int nodes, SimMembers.Defects defects) {
    try (SimMembers members = new SimMembers(seed, nodes, defects)) {
      members.runWithPartitionedPairs();
    }
  }

  private static void runWithClockJumps(long seed, SimNode.Defect defect) {
    try (SimMembers members = new SimMembers(seed, 3, node -> defect)) {
      members.clockFaults().runWithClockJumps();
    }
  }

  private static void runWithFullRestarts(long seed, int nodes, SimNode.Defect defect) {
    try (SimMembers members = new SimMembers(seed, nodes, node -> defect)) {
      members.clockFaults().runWithFullRestarts();
    }
  }

  private static AssertionError find(String defect, SimMembers.Defects defects) {
    return Seeds.find(
        defect,
        30,
        seed -> {
          try (SimMembers members = new SimMembers(seed, 3, defects)) {
            members.runWithFaults();
          }
        });
  }
}
