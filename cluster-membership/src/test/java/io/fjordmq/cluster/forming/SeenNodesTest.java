package io.fjordmq.cluster.forming;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which of the nodes that it sees a node counts, and what it tells the operator. */
class SeenNodesTest {
  private final List<Round.Reply> replies = new ArrayList<>();
  private @Nullable Promise ownPromise;

  private static NodeAddress address(String host) {
    return new NodeAddress(host, 8899);
  }

  private static WaitingNode node(String id, String env, int expect, @Nullable Promise promise) {
    return new WaitingNode(
        new NodeId(id), id.hashCode(), address(id), env, expect, 5, promise, List.of());
  }

  private void sees(String host, WaitingNode node) {
    replies.add(new Round.Reply(address(host), null, node, null));
  }

  private void sees(String id) {
    sees(id, node(id, "Test", 3, null));
  }

  private void fails(String host) {
    replies.add(new Round.Reply(address(host), null, null, host + " cannot be reached: refused"));
  }

  private SeenNodes seen() {
    return new SeenNodes(
        node("b", "Test", 3, ownPromise),
        new Round(replies, 0),
        replies.stream().map(Round.Reply::address).toList());
  }

  @Test
  void shouldProposeOnlyWithEnoughNodesAndTheLowestId() {
    assertThat(seen().isProposer()).isFalse();
    sees("c");
    assertThat(seen().isProposer()).isFalse();
    assertThat(seen().describe())
        .startsWith(
            "waiting to create a cluster: found 2 of 3 nodes (this node b at b:8899, c at c:8899);"
                + " start 1 more");
    sees("d");
    assertThat(seen().isProposer()).isTrue();
    sees("a");
    assertThat(seen().isProposer()).as("a proposes").isFalse();
  }

  @Test
  void shouldCountANodeOnceAndNotItself() {
    sees("c");
    sees("other-address-of-c", node("c", "Test", 3, null));
    sees("own-address", node("b", "Test", 3, null));
    assertThat(seen().counted()).hasSize(2);
    assertThat(seen().isProposer()).isFalse();
  }

  @Test
  void shouldNotProposeIfItsDirectoryIsACopy() {
    sees("c");
    sees("d");
    WaitingNode copy = node("b", "Test", 3, null);
    sees(
        "copy",
        new WaitingNode(
            copy.node(), copy.process() + 1, address("copy"), "Test", 3, 5, null, List.of()));
    assertThat(seen().isProposer()).isFalse();
    assertThat(seen().describe())
        .contains("the node at copy:8899 has a copy of this node's data directory");
  }

  @Test
  void shouldExplainWhyANodeDoesNotCount() {
    sees("c", node("c", "Prod", 3, null));
    sees("d", node("d", "Test", 5, null));
    sees("e", node("e", "Test", 3, new Promise(new NodeId("x"), 1)));
    fails("f");
    assertThat(seen().counted()).hasSize(1);
    assertThat(seen().describe())
        .contains("node c at c:8899 has clusterConfig.env 'Prod', this node 'Test'")
        .contains("node d at d:8899 has expectNodes 5, this node 3")
        .contains("node e at e:8899 waits for node x")
        .contains("f cannot be reached: refused");
  }

  @Test
  void shouldNeedMoreThanHalfOfTheNodesThatTheSeedsName() {
    sees("c");
    sees("d");
    fails("e");
    fails("f");
    assertThat(seen().isProposer()).as("3 of 5").isTrue();
    fails("g");
    assertThat(seen().isProposer()).as("3 of 6").isFalse();
    assertThat(seen().describe())
        .contains("found 3 of 4 nodes")
        .contains("the seeds name 6 nodes, more than half of which must take part");
  }

  @Test
  void shouldCountNodesWithAnAddressOfEachIpVersionOnce() {
    for (String id : List.of("c", "d")) {
      sees("10.0.0." + id.charAt(0) % 10, node(id, "Test", 3, null));
      fails("fd00::" + id);
    }
    fails("fd00::b"); // this node listens on one of its addresses only
    assertThat(seen().isProposer()).isTrue();
  }

  @Test
  void shouldNotProposeWithAPromiseUntilItIsVoid() {
    ownPromise = new Promise(new NodeId("a"), 5);
    sees("c");
    sees("d");
    assertThat(seen().isProposer()).isFalse();
    assertThat(seen().isVoid(ownPromise)).as("a has not responded").isFalse();
    assertThat(seen().describe())
        .startsWith("waiting for node a, which may have created a cluster; start it again");
    sees("a");
    assertThat(seen().isVoid(ownPromise)).as("its number is the same").isFalse();
    assertThat(seen().isVoid(new Promise(new NodeId("a"), 4))).isTrue();
  }
}
