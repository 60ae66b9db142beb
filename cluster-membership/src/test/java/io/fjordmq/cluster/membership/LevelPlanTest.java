package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.metadata.LevelRecord;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LevelPlanTest {
  private static final SupportedLevels OLD = SupportedLevels.FIRST_ONLY;
  private static final SupportedLevels NEW = new SupportedLevels(1, 2);
  private static final long HOLD_DOWN = 100;

  @Test
  void shouldChangeNothingWhileNoNodeSupportsMore() {
    LevelPlan plan = plan(LevelRecord.INITIAL, OLD, OLD);
    assertThat(plan.next(true, HOLD_DOWN, 5)).isEqualTo(LevelRecord.INITIAL);
  }

  @Test
  void shouldRaiseTheLevelOnceAllMembersHaveSupportedItForTheHoldDown() {
    LevelRecord begun = plan(LevelRecord.INITIAL, NEW, OLD).next(true, HOLD_DOWN, 5);
    assertThat(begun).isEqualTo(new LevelRecord(1, 0, 5, 0, 0));
    LevelRecord complete = plan(begun, NEW, NEW).next(true, HOLD_DOWN, 50);
    assertThat(complete).isEqualTo(new LevelRecord(1, 0, 5, 2, 50));
    assertThat(plan(complete, NEW, NEW).next(true, HOLD_DOWN, 149)).isEqualTo(complete);
    assertThat(plan(complete, NEW, NEW).next(true, HOLD_DOWN, 150))
        .isEqualTo(new LevelRecord(2, 150, 0, 0, 0));
  }

  @Test
  void shouldStartTheHoldDownAgainWhenANodeGoesBack() {
    LevelRecord complete = new LevelRecord(1, 0, 5, 2, 50);
    LevelRecord back = plan(complete, NEW, OLD).next(true, HOLD_DOWN, 140);
    assertThat(back).isEqualTo(new LevelRecord(1, 0, 5, 0, 0));
    assertThat(plan(back, NEW, NEW).next(true, HOLD_DOWN, 160))
        .isEqualTo(new LevelRecord(1, 0, 5, 2, 160));
    assertThat(plan(back, OLD, OLD).next(true, HOLD_DOWN, 160)).isEqualTo(LevelRecord.INITIAL);
  }

  @Test
  void shouldNotRaiseTheLevelByItselfIfThatIsOff() {
    LevelRecord complete = new LevelRecord(1, 0, 5, 2, 50);
    assertThat(plan(complete, NEW, NEW).next(false, HOLD_DOWN, 10_000)).isEqualTo(complete);
  }

  @Test
  void shouldRaiseTheLevelAtOnceWithoutAHoldDown() {
    assertThat(plan(LevelRecord.INITIAL, NEW, NEW).next(true, 0, 5))
        .isEqualTo(new LevelRecord(2, 5, 0, 0, 0));
  }

  @Test
  void shouldRefuseLevelsThatAMemberLacks() {
    assertThat(plan(LevelRecord.INITIAL, NEW, OLD).obstacle(2))
        .isEqualTo(
            "cannot raise the cluster level to 2: not supported by n1 (level 1); upgrade and start"
                + " these nodes, or remove those that will not return");
    assertThat(plan(LevelRecord.INITIAL, NEW, NEW).obstacle(2)).isNull();
    assertThat(plan(LevelRecord.INITIAL, NEW, NEW).obstacle(3)).contains("n0 (levels 1 to 2), n1");
    assertThat(plan(LevelRecord.at(2), NEW, NEW).obstacle(1)).contains("cannot be lowered");
  }

  @Test
  void shouldRefuseNodesThatLackTheLevel() {
    assertThat(LevelPlan.refusal(NEW, 2)).isNull();
    assertThat(LevelPlan.refusal(OLD, 2))
        .isEqualTo(
            "this version of FjordMQ supports level 1, but the cluster is at level 2; start the"
                + " node with a newer version, as the other nodes");
    assertThat(LevelPlan.refusal(new SupportedLevels(3, 4), 2)).contains("with an older version");
  }

  private static LevelPlan plan(LevelRecord record, SupportedLevels... members) {
    SortedMap<NodeId, SupportedLevels> supported =
        new TreeMap<>(Comparator.comparing(NodeId::value));
    for (int i = 0; i < members.length; i++) {
      supported.put(new NodeId("n" + i), members[i]);
    }
    return new LevelPlan(record, supported);
  }
}
