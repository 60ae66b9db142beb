package io.fjordmq.broker.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The events of a client on all nodes, in one sequence. */
class ClientEventQueriesTest {
  private static ClientTimeline find(TestCluster cluster, int node, String clientId) {
    CompletableFuture<ClientTimeline> found = cluster.node(node).events.find(null, clientId);
    cluster.settle();
    assertThat(found).isCompleted();
    return found.join();
  }

  private static List<String> nodesAndTypes(ClientTimeline timeline) {
    return timeline.events().stream()
        .map(event -> event.node() + " " + event.recorded().event().type())
        .toList();
  }

  @Test
  void shouldMergeTheEventsOfAClientThatMovedBetweenNodes() {
    try (TestCluster cluster = new TestCluster(3)) {
      TestClient first = cluster.node(0).connectPersistent("c");
      first.subscribe(1, "a", 1).readAll();
      cluster.advanceTime(Duration.ofSeconds(20));
      TestClient second = cluster.node(1).connectPersistent("c");
      assertThat(first.isOpen()).isFalse();
      cluster.advanceTime(Duration.ofSeconds(20));
      second.disconnect();
      cluster.advanceTime(Duration.ofSeconds(20));
      cluster.node(2).connectPersistent("c");

      ClientTimeline timeline = find(cluster, 2, "c");
      assertThat(nodesAndTypes(timeline))
          .containsSubsequence("n0 connected", "n0 subscribed", "n0 taken_over")
          .containsSubsequence("n0 subscribed", "n1 connected", "n1 disconnected", "n2 connected");
      assertThat(timeline.problems()).isEmpty();
      TakenOver lost =
          timeline.events().stream()
              .map(event -> event.recorded().event())
              .filter(TakenOver.class::isInstance)
              .map(TakenOver.class::cast)
              .findFirst()
              .orElseThrow();
      assertThat(lost.byNode()).isEqualTo("n1");
      assertThat(lost.byAddress()).isNotEmpty();
      assertThat(nodesAndTypes(find(cluster, 0, "c"))).isEqualTo(nodesAndTypes(timeline));
    }
  }

  @Test
  void shouldNameNodesThatDoNotRespond() {
    try (TestCluster cluster = new TestCluster(3)) {
      cluster.node(0).connect("c");
      cluster.cut(0, 2);
      ClientTimeline timeline = find(cluster, 0, "c");
      assertThat(nodesAndTypes(timeline)).containsExactly("n0 connected");
      assertThat(timeline.problems()).singleElement().asString().startsWith("node n2: ");
      cluster.heal();
    }
  }

  @Test
  void shouldFindNothingAboutAnUnknownClient() {
    try (TestCluster cluster = new TestCluster(3)) {
      ClientTimeline timeline = find(cluster, 1, "unknown");
      assertThat(timeline.events()).isEmpty();
      assertThat(timeline.problems()).isEmpty();
    }
  }
}
