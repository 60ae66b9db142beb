package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.consensus.sim.Seeds;
import io.fjordmq.cluster.membership.LeaderAnswer.Renewed;
import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Nodes join, crash, come back, take long to start, stand still for seconds and are cut off, over a
 * network that loses and delays. What always holds is checked after every event ({@link
 * SimMembers}); when all is well again every node must serve. {@link Seeds} says how many runs.
 */
class MembershipSimulationTest {

  @ParameterizedTest
  @CsvSource({"1,60", "3,60", "4,30", "5,30"})
  void shouldHaveEveryServingNodeCountedByEveryOther(int nodes, int usualSeeds) {
    Seeds seeds = Seeds.usually(usualSeeds);
    SimMembers.Totals totals = new SimMembers.Totals();
    seeds.play(
        seed -> {
          try (SimMembers members = new SimMembers(seed, nodes, node -> SimNode.NONE)) {
            members.play();
            totals.add(members);
          }
        });
    if (seeds.areEnough()) { // the runs did meet what they are for
      assertThat(totals.admissions()).isGreaterThan(seeds.count() * nodes);
      if (nodes > 1) {
        assertThat(totals.livesEnded()).isGreaterThan(seeds.count() / 2);
        assertThat(totals.removals()).isGreaterThan(seeds.count() / 2);
      }
    }
  }

  @Test
  void shouldLetNobodyLoseALifeInPeace() {
    Seeds.usually(60)
        .play(
            seed -> {
              try (SimMembers members = new SimMembers(seed, 3, node -> SimNode.NONE)) {
                members.playInPeace();
              }
            });
  }

  @Test
  void shouldGoOnAloneAfterStandingStillForLongerThanALease() {
    Seeds.usually(20)
        .play(
            seed -> {
              try (SimMembers members = new SimMembers(seed, 1, node -> SimNode.NONE)) {
                members.playAlone();
              }
            });
  }

  @Test
  void shouldFindNodesThatTrustTheirLeaseForTooLong() {
    SimNode.Defect slowClock =
        new SimNode.Defect() {
          @Override
          public double clockRate() {
            return 0.4;
          }
        };
    AssertionError found = find("slow clocks", node -> node % 2 == 1 ? slowClock : SimNode.NONE);
    assertThat(found).hasMessageContaining("serves in a life that the cluster counts as over");
  }

  @Test
  void shouldFindNodesThatRenewLeasesWithoutLeading() {
    SimNode.Defect generous =
        new SimNode.Defect() {
          @Override
          public LeaderAnswer answer(LeaderRequest request, LeaderAnswer right) {
            return request instanceof Renewal && !(right instanceof Renewed)
                ? new Renewed(0, 0)
                : right;
          }
        };
    AssertionError found = find("renewals by anybody", node -> generous);
    assertThat(found).hasMessageContaining("serves in a life that the cluster counts as over");
  }

  @Test
  void shouldFindNodesThatAreAdmittedBeforeAllKnowThem() {
    SimNode.Defect hasty =
        new SimNode.Defect() {
          @Override
          public LeaderAnswer answer(LeaderRequest request, LeaderAnswer right) {
            return right instanceof Renewed renewed
                ? new Renewed(Long.MAX_VALUE, renewed.clusterMillis())
                : right;
          }
        };
    AssertionError found = find("admission at once", node -> hasty);
    assertThat(found).hasMessageContaining("does not count");
  }

  @Test
  void shouldFindNodesThatAreCountedWhileTheyAreStarting() {
    SimNode.Defect hasty =
        new SimNode.Defect() {
          @Override
          public boolean isHasty() {
            return true;
          }
        };
    AssertionError found = find("ready at once", node -> node == 2 ? hasty : SimNode.NONE);
    assertThat(found).hasMessageContaining("which has not been ready in this life");
  }

  @Test
  void shouldKeepClusterTimeWhateverHappensToClocks() {
    Seeds.usually(40).play(seed -> playWithClocks(seed, SimNode.NONE));
  }

  @Test
  void shouldFindLeadersThatTellTheirWallClock() {
    SimNode.Defect wallClock =
        new SimNode.Defect() {
          @Override
          public LeaderAnswer answer(LeaderRequest request, LeaderAnswer right) {
            return right instanceof Renewed renewed && request instanceof Renewal renewal
                ? new Renewed(renewed.appliedByAll(), renewal.clock().wallMillis())
                : right;
          }
        };
    AssertionError found =
        Seeds.find("wall clocks told as cluster time", 30, seed -> playWithClocks(seed, wallClock));
    assertThat(found).hasMessageContaining("cluster time");
  }

  @Test
  void shouldFindNodesThatDoNotNoticeThatTheirMachineWasSuspended() {
    SimNode.Defect unaware =
        new SimNode.Defect() {
          @Override
          public boolean ignoresWallClock() {
            return true;
          }
        };
    AssertionError found =
        Seeds.find("suspended machines", 60, seed -> playWithClocks(seed, unaware));
    assertThat(found).hasMessageContaining("serves in a life that the cluster counts as over");
  }

  @ParameterizedTest
  @CsvSource({"3,12", "5,6"})
  void shouldEndOneOfTwoNodesThatDoNotReachEachOther(int nodes, int usualSeeds) {
    Seeds.usually(usualSeeds).play(seed -> playWithCutPairs(seed, nodes, node -> SimNode.NONE));
  }

  /** It is enough that one of the two says so. */
  @Test
  void shouldEndOneOfTwoNodesThoughOneOfThemDoesNotNotice() {
    Seeds.usually(12)
        .play(
            seed ->
                playWithCutPairs(seed, 3, node -> node == seed % 3 ? REACHES_ALL : SimNode.NONE));
  }

  @Test
  void shouldFindNodesThatDoNotNoticeWhomTheyDoNotReach() {
    AssertionError found =
        Seeds.find("cuts unnoticed", 5, seed -> playWithCutPairs(seed, 3, node -> REACHES_ALL));
    assertThat(found).hasMessageContaining("0 of their lives ended");
  }

  @Test
  void shouldFindLeadersThatDoNotRenewEither() {
    SimNode.Defect strict =
        new SimNode.Defect() {
          @Override
          public LeaderAnswer answer(LeaderRequest request, LeaderAnswer right) {
            return request instanceof Renewal renewal && !renewal.unreachable().isEmpty()
                ? new LeaderAnswer.NotRenewed("it does not reach everybody")
                : right;
          }
        };
    AssertionError found =
        Seeds.find("both refused", 5, seed -> playWithCutPairs(seed, 3, node -> strict));
    assertThat(found).hasMessageContaining("neither");
  }

  private static final SimNode.Defect REACHES_ALL =
      new SimNode.Defect() {
        @Override
        public boolean claimsToReachOthers() {
          return true;
        }
      };

  private static void playWithCutPairs(long seed, int nodes, SimMembers.Defects defects) {
    try (SimMembers members = new SimMembers(seed, nodes, defects)) {
      members.playWithCutPairs();
    }
  }

  private static void playWithClocks(long seed, SimNode.Defect defect) {
    try (SimMembers members = new SimMembers(seed, 3, node -> defect)) {
      members.playWithClocks();
    }
  }

  private static AssertionError find(String defect, SimMembers.Defects defects) {
    return Seeds.find(
        defect,
        30,
        seed -> {
          try (SimMembers members = new SimMembers(seed, 3, defects)) {
            members.play();
          }
        });
  }
}
