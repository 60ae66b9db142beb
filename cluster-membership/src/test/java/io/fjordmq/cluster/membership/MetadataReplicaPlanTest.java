package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which nodes should have replicas of the metadata. */
class MetadataReplicaPlanTest {

  @Test
  void shouldTargetAtMostFiveVoters() {
    assertThat(
            Arrays.stream(new int[] {0, 1, 2, 3, 4, 5, 6, 50})
                .map(MetadataReplicaPlan::targetVoterCount))
        .containsExactly(1, 1, 2, 3, 3, 5, 5, 5);
  }

  @Test
  void shouldAddANewNodeAsLearnerThenAsVoter() {
    Members members = members("ab", "");
    ReplicaSet learning = next(replicas("a", ""), members);
    assertThat(learning).isEqualTo(replicas("a", "b"));
    ReplicaSet voting = next(replicas("a", "b"), members);
    assertThat(voting).isEqualTo(replicas("ab", ""));
    assertThat(next(replicas("ab", ""), members)).isNull();
  }

  @Test
  void shouldReplaceADeadVoterByALiveLearner() {
    Members members = members("abd", "c");
    assertThat(next(replicas("abc", "d"), members)).isEqualTo(replicas("abcd", ""));
    assertThat(next(replicas("abcd", ""), members)).isEqualTo(replicas("abd", "c"));
    assertThat(next(replicas("abd", "c"), members)).isNull();
  }

  @Test
  void shouldPreferUpNodesAsVoters() {
    Members members = withState(Member.State.FULL, "b", members("abcde", ""));
    assertThat(next(replicas("acd", "be"), members)).isEqualTo(replicas("acde", "b"));
    assertThat(next(replicas("abc", "d"), withState(Member.State.SLOW, "b", members("abcd", ""))))
        .as("voters stay")
        .isNull();
    assertThat(next(replicas("a", "b"), withState(Member.State.FULL, "b", members("ab", ""))))
        .as("no other node")
        .isEqualTo(replicas("ab", ""));
    assertThat(
            next(replicas("abcd", ""), withState(Member.State.DRAINING, "c", members("abcd", ""))))
        .as("one voter too many")
        .isEqualTo(replicas("abd", "c"));
  }

  @Test
  void shouldKeepADeadVoterWithoutAReplacement() {
    assertThat(next(replicas("abc", ""), members("ab", "c"))).isNull();
  }

  @Test
  void shouldWaitForTheFirstNodeToRegister() {
    assertThat(next(replicas("a", ""), members("", ""))).isNull();
  }

  @Test
  void shouldReplaceALeavingVoterAndTransferItsLeadership() {
    Members members = members("abcd", "", "c");
    assertThat(next(replicas("abc", "d"), members)).isEqualTo(replicas("abcd", ""));
    assertThat(next(replicas("abcd", ""), members)).isEqualTo(replicas("abd", "c"));
    assertThat(next(replicas("abd", "c"), members)).isNull();
    assertThat(MetadataReplicaPlan.successor(replicas("abd", ""), members, new NodeId("a")))
        .isNull();
    assertThat(MetadataReplicaPlan.successor(replicas("abc", ""), members, new NodeId("c")))
        .isEqualTo(new NodeId("a"));
  }

  @Test
  void shouldDecommissionOneOfThreeNodes() {
    assertThat(next(replicas("abc", ""), members("abc", "", "c"))).isEqualTo(replicas("ab", "c"));
    assertThat(next(replicas("ab", "c"), members("abc", "", "c"))).isNull();
    assertThat(next(replicas("ab", ""), members("ab", "", "b"))).isEqualTo(replicas("a", "b"));
  }

  @Test
  void shouldKeepALeavingVoterThatTheMajorityNeeds() {
    assertThat(next(replicas("abc", ""), members("ab", "c", "b"))).isNull();
  }

  @Test
  void shouldRemoveTheReplicaOfARemovedNode() {
    Members members = removed(members("abd", ""), "c");
    assertThat(next(replicas("ab", "cd"), members)).isEqualTo(replicas("ab", "d"));
    assertThat(next(replicas("abc", "d"), members)).isEqualTo(replicas("abcd", ""));
    assertThat(next(replicas("abcd", ""), members)).isEqualTo(replicas("abd", ""));
    assertThat(next(replicas("abc", ""), removed(members("ab", ""), "c")))
        .isEqualTo(replicas("ab", ""));
    assertThat(next(replicas("abc", ""), removed(members("a", "b"), "c"))).isNull();
  }

  @Test
  void shouldReportNodesThatTheMajorityNeeds() {
    ReplicaSet three = replicas("abc", "");
    NodeId c = new NodeId("c");
    assertThat(MetadataReplicaPlan.keepsMajorityWithout(c, three, members("ab", "c"))).isTrue();
    assertThat(MetadataReplicaPlan.keepsMajorityWithout(c, three, members("a", "bc"))).isFalse();
    assertThat(MetadataReplicaPlan.keepsMajorityWithout(c, replicas("ac", ""), members("a", "c")))
        .isFalse();
    assertThat(MetadataReplicaPlan.keepsMajorityWithout(c, replicas("a", "c"), members("a", "c")))
        .isTrue();
  }

  @Property(tries = 2000)
  void shouldConvergeOneNodeAtATimeWithoutLosingTheMajority(@ForAll long seed) {
    Random random = new Random(seed);
    String nodes = "abcdefgh".substring(0, 1 + random.nextInt(8));
    String down =
        nodes
            .substring(1)
            .chars()
            .filter(c -> random.nextInt(4) == 0)
            .mapToObj(Character::toString)
            .collect(Collectors.joining());
    String alive =
        nodes
            .chars()
            .mapToObj(Character::toString)
            .filter(c -> !down.contains(c))
            .collect(Collectors.joining());
    String leaving = random.nextInt(3) == 0 ? alive.substring(1) : "";
    Members members = members(alive, down, leaving);
    if (random.nextInt(3) == 0 && !down.isEmpty()) {
      members = removed(members(alive, down.substring(1), leaving), down.substring(0, 1));
    }
    Member.State condition = Member.State.values()[random.nextInt(Member.State.values().length)];
    if (condition != Member.State.DOWN && condition != Member.State.LEAVING && leaving.isEmpty()) {
      members = withState(condition, alive.substring(random.nextInt(alive.length())), members);
    }
    ReplicaSet current = replicas("a", "");
    for (char node : nodes.substring(1).toCharArray()) {
      int draw = random.nextInt(3);
      Set<NodeId> voters = new HashSet<>(current.voters());
      Set<NodeId> learners = new HashSet<>(current.learners());
      (draw == 0 ? voters : learners).add(new NodeId("" + node));
      current = draw == 2 ? current : new ReplicaSet(voters, learners);
    }
    boolean majority = hasMajority(current, members);
    for (int steps = 0; steps < 30; steps++) {
      ReplicaSet next = next(current, members);
      if (next == null) {
        assertThat(members.alive()).allMatch(holders(current)::contains);
        if (majority && down.isEmpty()) {
          assertThat(current.voters()).noneMatch(nodes(leaving)::contains);
        }
        assertThat(current.learners()).noneMatch(members.removed()::containsKey);
        return;
      }
      if (majority) {
        assertThat(hasMajority(next, members)).as("%s to %s", current, next).isTrue();
      }
      assertThat(next.voters()).contains(new NodeId("a"));
      assertThat(differences(current, next)).as("%s to %s", current, next).isEqualTo(1);
      current = next;
    }
    throw new AssertionError("did not converge: " + current + " of " + members);
  }

  private static long differences(ReplicaSet before, ReplicaSet after) {
    Set<NodeId> all = new HashSet<>(holders(before));
    all.addAll(holders(after));
    return all.stream().filter(node -> role(before, node) != role(after, node)).count();
  }

  private static int role(ReplicaSet replicas, NodeId node) {
    return replicas.voters().contains(node) ? 2 : replicas.learners().contains(node) ? 1 : 0;
  }

  private static Set<NodeId> holders(ReplicaSet replicas) {
    Set<NodeId> all = new HashSet<>(replicas.voters());
    all.addAll(replicas.learners());
    return all;
  }

  private static boolean hasMajority(ReplicaSet replicas, Members members) {
    Set<NodeId> alive = members.alive();
    return 2 * replicas.voters().stream().filter(alive::contains).count()
        > replicas.voters().size();
  }

  private static @Nullable ReplicaSet next(ReplicaSet current, Members members) {
    return MetadataReplicaPlan.next(current, members, new NodeId("a"));
  }

  private static ReplicaSet replicas(String voters, String learners) {
    return new ReplicaSet(nodes(voters), nodes(learners));
  }

  private static Set<NodeId> nodes(String names) {
    return names
        .chars()
        .mapToObj(c -> new NodeId(Character.toString(c)))
        .collect(Collectors.toSet());
  }

  private static Members members(String alive, String down, String leaving) {
    Map<NodeId, Member> byNode = new HashMap<>(members(alive, down).byNode());
    nodes(leaving).forEach(node -> byNode.put(node, member(node, Member.State.LEAVING)));
    return new Members(1, byNode);
  }

  private static Members withState(Member.State state, String which, Members others) {
    Map<NodeId, Member> byNode = new HashMap<>(others.byNode());
    nodes(which).forEach(node -> byNode.put(node, member(node, state)));
    return new Members(1, byNode, others.removed());
  }

  private static Members removed(Members others, String names) {
    Map<NodeId, Long> removed = new HashMap<>();
    nodes(names).forEach(node -> removed.put(node, 1L));
    return new Members(1, others.byNode(), removed);
  }

  private static Members members(String alive, String down) {
    Map<NodeId, Member> byNode = new HashMap<>();
    nodes(alive).forEach(node -> byNode.put(node, member(node, Member.State.UP)));
    nodes(down).forEach(node -> byNode.put(node, member(node, Member.State.DOWN)));
    return new Members(1, byNode);
  }

  private static Member member(NodeId node, Member.State state) {
    return new Member(node, new NodeAddress("h", 1), 1, state);
  }
}
