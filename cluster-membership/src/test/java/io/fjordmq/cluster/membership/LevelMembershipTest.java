package io.fjordmq.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.membership.RealNodes.RealNode;
import io.fjordmq.cluster.metadata.LevelRecord;
import io.fjordmq.cluster.metadata.NodeLevels;
import io.fjordmq.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of two versions, with real sockets and real Raft (decision 0101). */
class LevelMembershipTest {
  private static final SupportedLevels NEW = new SupportedLevels(1, 2);

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
  void shouldRaiseTheLevelOnceAllMembersSupportItAndThenRefuseOlderVersions() throws Exception {
    RealNode a = nodes.start("a", nodes.bootstrap("a", "a"));
    final RealNode b = nodes.start("b", nodes.join("b", "a"));
    nodes.awaitAllServing();
    assertThat(a.membership().metadata().view().get(LevelRecord.KEY)).isNull();
    assertThat(a.membership().metadata().view().withPrefix(NodeLevels.PREFIX)).isEmpty();

    nodes.stop(b);
    RealNode newer = nodes.start("b", with(NEW, nodes.join("b", "a")));
    nodes.awaitAllServing();
    assertThatThrownBy(() -> raise(newer, 2))
        .hasCauseInstanceOf(MembershipException.class)
        .hasMessageContaining("not supported by " + a.id() + " (level 1)");
    assertThat(raise(newer, 0)).isEqualTo(1);

    nodes.stop(a);
    RealNode first = nodes.start("a", with(NEW, nodes.join("a", "b")));
    nodes.awaitAllServing();
    assertThat(raise(newer, 0)).isEqualTo(2);
    Await.until("a node writes at level 2", () -> first.membership().level().current() == 2);
    Await.until("the other does, too", () -> newer.membership().level().current() == 2);

    assertThatThrownBy(() -> nodes.start("c", nodes.join("c", "a")))
        .isInstanceOf(MembershipException.class)
        .hasMessageContaining("cannot join cluster")
        .hasMessageContaining("supports level 1, but the cluster is at level 2");
    assertThat(folder.resolve("c/node.id")).doesNotExist();

    awaitCheckpoint("b");
    nodes.stop(newer);
    assertRefused("b", nodes.join("b", "a"));
    awaitCheckpoint("a");
    nodes.stop(first);
    assertRefused("a", nodes.join("a", "b")); // although no other node runs
  }

  @Test
  void shouldCreateAClusterAtTheHighestLevelOfItsFirstNode() throws Exception {
    RealNode a = nodes.start("a", with(NEW, nodes.bootstrap("a", "a")));
    assertThat(a.membership().levelStatus().record()).isEqualTo(LevelRecord.at(2));
    Await.until("it writes at level 2", () -> a.membership().level().current() == 2);
    awaitCheckpoint("a");
  }

  /** The next start finds the level there. */
  private void awaitCheckpoint(String name) {
    Path checkpoint = folder.resolve(name).resolve("metadata");
    Await.until("the level is in the checkpoint", () -> Files.exists(checkpoint));
  }

  private void assertRefused(String name, JoinOptions options) {
    assertThatThrownBy(() -> nodes.start(name, options))
        .isInstanceOf(MembershipException.class)
        .hasMessageStartingWith(
            "this version of FjordMQ supports level 1, but the cluster is at level 2");
  }

  private static int raise(RealNode node, int level) throws Exception {
    for (int attempt = 0; ; attempt++) {
      try {
        return node.membership().raiseLevel(level).get(20, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof MembershipException || attempt == 20) {
          throw e;
        }
        Await.pause(); // there is no leader at the moment
      }
    }
  }

  private static JoinOptions with(SupportedLevels levels, JoinOptions options) {
    return new JoinOptions(
        options.creation(),
        options.env(),
        options.address(),
        options.seeds(),
        options.settings(),
        levels);
  }
}
