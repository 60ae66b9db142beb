package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Leases at the metadata leader: 3 s each, at most 20 s behind. */
class LeaseTableTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final long BEGIN = 1_000_000;

  private final LeaseTable table = new LeaseTable(MembershipSettings.DEFAULT, BEGIN);

  @Test
  void shouldGrantAllNodesAFullLeaseAtTheBeginning() {
    assertThat(table.hasExpired(up(A, 1), BEGIN + 3_000)).isFalse();
    assertThat(table.hasExpired(up(A, 1), BEGIN + 3_001)).isTrue();
  }

  @Test
  void shouldStartALeaseWhenItsRenewalIsReceived() {
    table.renew(A, 1, 5, 5, BEGIN + 10_000);
    assertThat(table.hasExpired(up(A, 1), BEGIN + 13_000)).isFalse();
    assertThat(table.hasExpired(up(A, 1), BEGIN + 13_001)).isTrue();
  }

  @Test
  void shouldDistinguishLeasesOfDifferentIncarnations() {
    table.renew(A, 1, 5, 5, BEGIN + 10_000);
    assertThat(table.hasExpired(up(A, 2), BEGIN + 10_000)).isTrue();
    assertThat(table.appliedByAll(members(up(A, 2)))).isZero();
  }

  @Test
  void shouldExtendAllLeasesWhenTheLeaderWasPaused() {
    table.renew(A, 1, 5, 5, BEGIN);
    table.extendAll(BEGIN + 60_000);
    assertThat(table.hasExpired(up(A, 1), BEGIN + 63_000)).isFalse();
    assertThat(table.hasExpired(up(A, 1), BEGIN + 63_001)).isTrue();
  }

  @Test
  void shouldNotRenewTheLeaseOfANodeThatLagsTooFar() {
    assertThat(table.renew(A, 1, 3, 7, BEGIN)).isTrue();
    assertThat(table.renew(A, 1, 6, 9, BEGIN + 20_000)).isTrue();
    assertThat(table.renew(A, 1, 6, 9, BEGIN + 20_001)).isFalse();
    assertThat(table.hasExpired(up(A, 1), BEGIN + 23_001)).isTrue();
    assertThat(table.renew(A, 1, 7, 12, BEGIN + 20_002)).as("has caught up with 7").isTrue();
    assertThat(table.renew(A, 1, 11, 20, BEGIN + 40_002)).as("but not with 12").isTrue();
    assertThat(table.renew(A, 1, 11, 20, BEGIN + 40_003)).isFalse();
  }

  @Test
  void shouldReportTheVersionThatAllLiveNodesHaveApplied() {
    table.renew(A, 1, 8, 9, BEGIN);
    assertThat(table.appliedByAll(members(up(A, 1), up(B, 1)))).as("b has not reported").isZero();
    table.renew(B, 1, 6, 9, BEGIN);
    assertThat(table.appliedByAll(members(up(A, 1), up(B, 1)))).isEqualTo(6);
    assertThat(table.appliedByAll(members(up(A, 1), memberInState(Member.State.DRAINING, B))))
        .isEqualTo(6);
    assertThat(table.appliedByAll(members(up(A, 1), memberInState(Member.State.DOWN, B))))
        .isEqualTo(8);
    assertThat(table.appliedByAll(members())).isZero();
  }

  private static Member up(NodeId node, long incarnation) {
    return new Member(node, new NodeAddress("h", 1), incarnation, Member.State.UP);
  }

  private static Member memberInState(Member.State state, NodeId node) {
    return new Member(node, new NodeAddress("h", 1), 1, state);
  }

  private static Members members(Member... members) {
    Map<NodeId, Member> byNode = new HashMap<>();
    Arrays.stream(members).forEach(member -> byNode.put(member.node(), member));
    return new Members(9, byNode);
  }
}
