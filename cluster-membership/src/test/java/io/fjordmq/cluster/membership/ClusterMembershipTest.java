package io.fjordmq.cluster.membership;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.RealNodes.RealNode;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Creating, joining and rejoining a cluster, with real sockets and real Raft. */
class ClusterMembershipTest {
  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // created before each test
  private RealNodes nodes;

  @BeforeEach
  void prepare() {
    nodes = new RealNodes(folder);
  }

  @AfterEach
  void stopAll() {
    nodes.close();
  }

  @Test
  void shouldServeAloneAfterBootstrapAndAgainAfterARestart() throws Exception {
    RealNode first = nodes.start("a", nodes.bootstrap("a", "a"));
    nodes.awaitAllServing();
    assertThat(first.membership().incarnation()).isEqualTo(1);
    nodes.stop(first);
    assertThat(first.membership().isServing()).isFalse();
    assertThat(first.membership().notServingReason()).isEqualTo("shutting down");
    RealNode restarted = nodes.start("a", nodes.bootstrap("a", "a"));
    nodes.awaitAllServing();
    assertThat(restarted.id()).isEqualTo(first.id());
    assertThat(restarted.membership().incarnation()).isEqualTo(2);
  }

  @Test
  void shouldJoinThroughASeedBecomeVotersAndSeeEachOther() throws Exception {
    RealNode a = nodes.start("a", nodes.bootstrap("a", "a"));
    RealNode b = nodes.start("b", nodes.join("b", "a"));
    RealNode c = nodes.start("c", nodes.join("c", "b", "a"));
    nodes.awaitAllServing();
    assertThat(b.identity().clusterId()).isEqualTo(a.identity().clusterId());
    for (RealNode node : List.of(a, b, c)) {
      Await.until(
          "all are voters",
          () -> node.membership().metadata().status().replicas().voters().size() == 3);
      Set<NodeId> all = Set.of(a.id(), b.id(), c.id());
      Await.until("it knows all", () -> node.membership().members().alive().equals(all));
    }
    Change change = Change.put("x", "y".getBytes(US_ASCII), Change.ABSENT);
    assertThat(b.membership().write(List.of(change)).get(20, TimeUnit.SECONDS))
        .isInstanceOf(WriteResult.Applied.class);
    assertThat(c.membership().write(List.of(change)).get(20, TimeUnit.SECONDS))
        .isInstanceOf(WriteResult.Conflict.class);
    c.membership().setDraining(true).get(20, TimeUnit.SECONDS);
    Await.until("draining", () -> stateOf(c.id(), c) == Member.State.DRAINING);
    c.membership().setDraining(false).get(20, TimeUnit.SECONDS);
    Await.until("up again", () -> stateOf(c.id(), a) == Member.State.UP);
  }

  @Test
  void shouldContinueWithoutACrashedNodeAndReadmitIt() throws Exception {
    nodes.start("a", nodes.bootstrap("a", "a"));
    nodes.start("b", nodes.join("b", "a"));
    RealNode c = nodes.start("c", nodes.join("c", "a"));
    nodes.awaitAllServing();
    RealNode a = nodes.start("d", nodes.join("d", "a", "b", "c"));
    nodes.awaitAllServing();
    nodes.crash(c);
    Await.until("c is down", () -> stateOf(c.id(), a) == Member.State.DOWN);
    Await.until("another node is a voter", () -> !isVoter(c.id(), a));
    nodes.awaitAllServing();
    RealNode restarted = nodes.start("c", nodes.join("c", "a"));
    nodes.awaitAllServing();
    assertThat(restarted.membership().incarnation()).isGreaterThan(1);
    Await.until("all know", () -> stateOf(c.id(), a) == Member.State.UP);
  }

  @Test
  void shouldTransferLeadershipSuspendAndReturnWhenItsDiskFails() throws Exception {
    RealNode a = nodes.start("a", nodes.bootstrap("a", "a"));
    RealNode b = nodes.start("b", nodes.join("b", "a"));
    nodes.start("c", nodes.join("c", "a"));
    Await.until(
        "all are voters", () -> a.membership().metadata().status().replicas().voters().size() == 3);
    nodes.awaitAllServing();
    a.membership().reportDiskState(Member.State.FULL).get(20, TimeUnit.SECONDS);
    Await.until("another node leads", () -> leaderOf(b) != null && !a.id().equals(leaderOf(b)));
    Await.until("all know", () -> stateOf(a.id(), b) == Member.State.FULL);
    assertThat(a.membership().isServing()).as("others lead, it serves").isTrue();

    a.membership().suspend("its disk is full");
    Await.until("it is down", () -> stateOf(a.id(), b) == Member.State.DOWN);
    assertThat(a.membership().isServing()).isFalse();
    assertThat(a.membership().notServingReason()).isEqualTo("suspended: its disk is full");
    Thread.sleep(500); // several heartbeats
    assertThat(stateOf(a.id(), b)).as("the node remains suspended").isEqualTo(Member.State.DOWN);
    a.membership().resume();
    nodes.awaitAllServing();
    assertThat(a.membership().incarnation()).isEqualTo(2);
  }

  private static @Nullable NodeId leaderOf(RealNode node) {
    return node.membership().metadata().leadership().leader();
  }

  @Test
  void shouldReplaceANodeThatLostItsDataAndNeverReadmitTheOldOne() throws Exception {
    RealNode a = nodes.start("a", nodes.bootstrap("a", "a"));
    RealNode b = nodes.start("b", nodes.join("b", "a"));
    RealNode lost = nodes.start("c", nodes.join("c", "a"));
    nodes.awaitAllServing();
    assertThatThrownBy(() -> a.membership().remove(lost.id()).get(20, TimeUnit.SECONDS))
        .hasMessageContaining("is UP: stop it first, or decommission it");
    assertThatThrownBy(() -> a.membership().remove(new NodeId("x")).get(20, TimeUnit.SECONDS))
        .hasMessageContaining("no node x in this cluster");
    nodes.stop(lost);
    Await.until("it is down", () -> stateOf(lost.id(), b) == Member.State.DOWN);
    Files.move(folder.resolve("c"), folder.resolve("old"));
    RealNode replacement = nodes.start("c", nodes.join("c", "a", "b")); // at the same address
    nodes.awaitAllServing();
    b.membership().remove(lost.id()).get(20, TimeUnit.SECONDS);
    Await.until(
        "the others are voters", () -> hasExactlyVoters(a, a.id(), b.id(), replacement.id()));
    for (RealNode node : List.of(a, b, replacement)) {
      Await.until("the node is removed", () -> node.membership().members().find(lost.id()) == null);
    }
    nodes.stop(replacement);
    Files.move(folder.resolve("c"), folder.resolve("new"));
    Files.move(folder.resolve("old"), folder.resolve("c"));
    assertThatThrownBy(() -> nodes.start("c", nodes.join("c", "a")))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("has been removed from its cluster, and its id cannot be used again");
  }

  @Test
  void shouldDecommissionTheMetadataLeader() throws Exception {
    RealNode a = nodes.start("a", nodes.bootstrap("a", "a"));
    RealNode b = nodes.start("b", nodes.join("b", "a"));
    RealNode c = nodes.start("c", nodes.join("c", "a"));
    nodes.awaitAllServing();
    Await.until("all are voters", () -> hasExactlyVoters(a, a.id(), b.id(), c.id()));
    Await.until(
        "one leads", () -> List.of(a, b, c).stream().anyMatch(ClusterMembershipTest::leads));
    RealNode leader =
        List.of(a, b, c).stream().filter(ClusterMembershipTest::leads).findFirst().orElseThrow();
    leader.membership().decommission().get(20, TimeUnit.SECONDS);
    Await.until("the node is no longer a voter", () -> !isVoter(leader.id(), leader));
    assertThat(leader.membership().isServing()).isTrue();
    leader.membership().removeOnClose();
    nodes.stop(leader);
    RealNode other = leader == a ? b : a;
    Await.until(
        "it is gone", () -> other.membership().members().removed().containsKey(leader.id()));
    Await.until(
        "it holds nothing",
        () -> other.membership().metadata().status().replicas().learners().isEmpty());
    nodes.awaitAllServing();
  }

  @Test
  void shouldFindEachOtherAfterAllAddressesHaveChanged() throws Exception {
    RealNode a = nodes.start("a", nodes.bootstrap("a", "a"));
    RealNode b = nodes.start("b", nodes.join("b", "a"));
    RealNode c = nodes.start("c", nodes.join("c", "a"));
    Await.until(
        "all are voters", () -> a.membership().metadata().status().replicas().voters().size() == 3);
    nodes.awaitAllServing();
    for (RealNode node : List.of(a, b, c)) {
      nodes.stop(node);
    }
    for (String name : List.of("a", "b", "c")) {
      nodes.changeAddress(name);
    }
    List<CompletableFuture<RealNode>> starting =
        List.of(
            nodes.startLater("a", nodes.join("a", "a", "b")),
            nodes.startLater("b", nodes.join("b", "b", "a")),
            nodes.startLater("c", nodes.join("c", "a")));
    for (CompletableFuture<RealNode> start : starting) {
      start.get(60, TimeUnit.SECONDS);
    }
    nodes.awaitAllServing();
    RealNode moved = starting.get(2).get();
    Set<NodeAddress> all = Set.of(nodes.addressOf("a"), nodes.addressOf("b"), nodes.addressOf("c"));
    Await.until("it knows all", () -> addresses(moved).equals(all));
  }

  @Test
  void shouldRefuseToCreateASecondCluster() throws Exception {
    nodes.start("a", nodes.bootstrap("a", "a"));
    assertThatThrownBy(() -> nodes.start("b", nodes.bootstrap("b", "a", "b")))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining(
            "'bootstrap: true' or a restore creates a new cluster, but the seed at");
    assertThat(folder.resolve("b/node.id")).doesNotExist();
  }

  @Test
  void shouldRefuseToStartAloneWithoutSeeds() {
    assertThatThrownBy(() -> nodes.start("b", nodes.join("b", "b")))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("add one of its nodes to seedEndpoints");
  }

  @Test
  void shouldRefuseADataDirectoryOfAnotherCluster() throws Exception {
    nodes.start("a", nodes.bootstrap("a", "a"));
    try (DataDirectory directory = DataDirectory.open(folder.resolve("b"))) {
      new NodeIdentity(new NodeId("stray"), "another").store(directory);
    }
    assertThatThrownBy(() -> nodes.start("b", nodes.join("b", "a")))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("this data directory belongs to cluster another");
  }

  @Test
  void shouldRefuseANodeOfAnotherEnv() throws Exception {
    RealNode a = nodes.start("a", nodes.bootstrap("a", "a"));
    assertThatThrownBy(() -> nodes.start("b", inEnv("Prod", nodes.join("b", "a"))))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("clusterConfig.env is 'Prod', but the seed at")
        .hasMessageContaining("with env 'Test'");
    assertThat(folder.resolve("b/node.id")).doesNotExist();
    RealNode b = nodes.start("b", nodes.join("b", "a"));
    assertThat(b.identity().clusterId()).isEqualTo(a.identity().clusterId());
  }

  @Test
  void shouldRefuseAMemberWithAChangedEnv() throws Exception {
    RealNode a = nodes.start("a", nodes.bootstrap("a", "a"));
    nodes.stop(a);
    assertThatThrownBy(() -> nodes.start("a", inEnv("Prod", nodes.bootstrap("a", "a"))))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("with env 'Test'; the env of a cluster cannot be changed");
    nodes.start("a", nodes.join("a", "a"));
  }

  private static JoinOptions inEnv(String env, JoinOptions options) {
    return new JoinOptions(
        options.creation(),
        env,
        options.address(),
        options.seeds(),
        options.settings(),
        options.levels());
  }

  @Test
  void shouldRefuseANodeWithAWrongClock() throws Exception {
    nodes.start("a", nodes.bootstrap("a", "a"));
    InstantSource ahead = () -> Instant.now().plusSeconds(100);
    assertThatThrownBy(() -> nodes.start("b", nodes.join("b", "a"), ahead))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("ahead of that of node")
        .hasMessageContaining("synchronize the clocks");
  }

  @Test
  void shouldRefuseAVoterWithoutItsMetadata() throws Exception {
    RealNode a = nodes.start("a", nodes.bootstrap("a", "a"));
    RealNode b = nodes.start("b", nodes.join("b", "a"));
    RealNode c = nodes.start("c", nodes.join("c", "a"));
    Await.until(
        "all are voters", () -> a.membership().metadata().status().replicas().voters().size() == 3);
    nodes.stop(c);
    try (var files = Files.walk(folder.resolve("c/raft"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
    Await.until("a quorum of two", () -> a.membership().isServing() && b.membership().isServing());
    assertThatThrownBy(() -> nodes.start("c", nodes.join("c", "a")))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("the node is a voter of the metadata group");
  }

  private static boolean leads(RealNode node) {
    return node.membership().metadata().leadership().leading();
  }

  private static Set<NodeAddress> addresses(RealNode observer) {
    return observer.membership().members().byNode().values().stream()
        .map(Member::address)
        .collect(Collectors.toSet());
  }

  private static Member.State stateOf(NodeId node, RealNode observer) {
    Member member = observer.membership().members().find(node);
    return member == null ? Member.State.DOWN : member.state();
  }

  private static boolean hasExactlyVoters(RealNode observer, NodeId... voters) {
    return observer.membership().metadata().status().replicas().equals(ReplicaSet.ofVoters(voters));
  }

  private static boolean isVoter(NodeId node, RealNode observer) {
    return observer.membership().metadata().status().replicas().voters().contains(node);
  }
}
