package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.ClockReport.Source;
import io.fjordmq.cluster.membership.LeaderRequest.Renewal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Which nodes the metadata leader, a, selects to leave service when nodes cannot reach each other.
 */
class ReachabilityReportsTest {
  private static final long VALID_MILLIS = 3_000;
  private static final List<String> FIVE = List.of("a", "b", "c", "d", "e");

  private final Map<NodeId, Member> members = new HashMap<>();
  private final Map<String, Set<NodeId>> unreachable = new HashMap<>();
  private final ReachabilityReports reports =
      new ReachabilityReports(new NodeId("a"), VALID_MILLIS);
  private long now = 1_000_000;

  private void nodes(String... names) {
    Arrays.stream(names).forEach(name -> node(name, 1, Member.State.UP));
  }

  private void node(String name, long incarnation, Member.State state) {
    NodeId id = new NodeId(name);
    members.put(id, new Member(id, new NodeAddress(name, 1), incarnation, state));
  }

  private void cut(String from, String... others) {
    unreachable.put(from, Arrays.stream(others).map(NodeId::new).collect(Collectors.toSet()));
  }

  private @Nullable String renew(String name) {
    Member member = members.get(new NodeId(name));
    long incarnation = member == null ? 0 : member.incarnation();
    Set<NodeId> named = unreachable.getOrDefault(name, Set.of());
    Renewal renewal = new Renewal(incarnation, 1, new ClockReport(1, 1, Source.KNOWN), named);
    LeaderResponse.NotRenewed refusal =
        reports.onRenewal(new NodeId(name), renewal, members(), now);
    return refusal == null ? null : refusal.reason();
  }

  private Members members() {
    return new Members(1, members);
  }

  /** The nodes whose leases are not renewed once all have reported. */
  private List<String> refused() {
    List<String> alive = members().alive().stream().map(NodeId::value).sorted().toList();
    alive.forEach(this::renew);
    return alive.stream().filter(node -> renew(node) != null).toList();
  }

  private @Nullable String notCountedReason(String name) {
    return reports.notCountedReason(new NodeId(name), members(), now);
  }

  @Test
  void shouldRenewAllLeasesWithoutPartitions() {
    nodes("a", "b", "c");
    assertThat(refused()).isEmpty();
  }

  @Test
  void shouldSelectOneOfTwoNodesAndGiveTheReason() {
    nodes("a", "b", "c");
    cut("b", "c");
    cut("c", "b");
    assertThat(refused()).containsExactly("c");
    assertThat(renew("c")).isEqualTo("network partition between node c and b");
    unreachable.clear();
    assertThat(refused()).isEmpty();
  }

  @Test
  void shouldAcceptTheReportOfOneOfTheTwo() {
    nodes("a", "b", "c");
    cut("b", "c");
    assertThat(refused()).containsExactly("c");
    unreachable.clear();
    cut("c", "b");
    assertThat(refused()).containsExactly("c");
  }

  @Test
  void shouldSelectTheNodeWithTheHigherIncarnation() {
    nodes("a", "b", "c");
    node("b", 2, Member.State.UP);
    cut("c", "b");
    assertThat(refused()).containsExactly("b");
  }

  @Test
  void shouldNeverSelectTheLeader() {
    nodes("a", "b", "c");
    node("a", 9, Member.State.UP);
    cut("a", "b");
    assertThat(refused()).containsExactly("b");
    unreachable.clear();
    cut("b", "a");
    assertThat(refused()).containsExactly("b");
  }

  @Test
  void shouldSelectTheNodeWithTheMostPartitions() {
    nodes("a", "b", "c", "d", "e");
    cut("c", "b");
    cut("d", "b");
    cut("b", "e");
    assertThat(refused()).containsExactly("b");
  }

  @Test
  void shouldSelectAllNodesOfOneSide() {
    nodes("a", "b", "c", "d", "e");
    cut("b", "d", "e");
    cut("c", "d", "e");
    assertThat(refused()).containsExactly("d", "e");
  }

  @Test
  void shouldLeaveAMajorityOfTheMembersCounted() {
    nodes("a", "b");
    cut("a", "b");
    assertThat(refused()).as("of two nodes both are the majority").isEmpty();
    unreachable.clear();
    nodes("c", "d", "e");
    node("e", 1, Member.State.DOWN);
    cut("b", "c", "d");
    cut("c", "d");
    assertThat(refused()).as("c and d stay apart").containsExactly("d");
    assertThat(FIVE).hasSameSizeAs(members.keySet());
  }

  /** Its lease expires by itself. */
  @Test
  void shouldIgnoreANodeThatDoesNotRenewItsLease() {
    nodes("a", "b", "c");
    renew("a");
    renew("c");
    cut("b", "c");
    assertThat(renew("b")).isNull();
    now += VALID_MILLIS + 1;
    assertThat(renew("b")).isNull();
    assertThat(renew("a")).isNull();
    assertThat(renew("c")).as("it is back").isNotNull();
  }

  @Test
  void shouldIgnoreNodesThatAreNotCounted() {
    nodes("a", "b", "c");
    node("c", 1, Member.State.STARTING);
    cut("b", "c");
    cut("c", "b");
    assertThat(refused()).isEmpty();
  }

  @Test
  void shouldIgnoreReportsOfEarlierIncarnations() {
    nodes("a", "b", "c");
    cut("c", "b");
    assertThat(refused()).containsExactly("c");
    node("c", 2, Member.State.UP);
    assertThat(renew("b")).isNull();
    unreachable.clear();
    assertThat(refused()).isEmpty();
  }

  @Test
  void shouldCountANodeOnceItAndAllCountedNodesReachEachOther() {
    nodes("a", "b", "c");
    node("c", 2, Member.State.STARTING);
    assertThat(notCountedReason("c")).isNotNull();
    cut("c", "a", "b");
    renew("c");
    assertThat(notCountedReason("c"))
        .isEqualTo("waiting for these nodes to renew their leases: a, b");
    refused();
    assertThat(notCountedReason("c")).isEqualTo("network partition between node c and a, b");
    unreachable.clear();
    cut("b", "c");
    refused();
    assertThat(notCountedReason("c")).isEqualTo("network partition between node c and b");
    unreachable.clear();
    refused();
    assertThat(notCountedReason("c")).isNull();
  }
}
