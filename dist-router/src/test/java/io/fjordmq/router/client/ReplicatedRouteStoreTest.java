package io.fjordmq.router.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReplicatedRouteStoreTest {
  private final RouteFixture fixture = RouteFixture.of(3, 100);

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void shouldMergeOverlappingFiltersOfAnInboxInTheOrderOfTheirText() {
    fixture.router().add(RouteFixture.inbox("t", "a/+", "c", Qos.AT_MOST_ONCE)).join();
    fixture.router().add(RouteFixture.inbox("t", "a/#", "c", Qos.EXACTLY_ONCE)).join();
    fixture.router().add(RouteFixture.inbox("t", "a/b", "d", Qos.AT_LEAST_ONCE)).join();
    MatchedRoutes matched = fixture.match("t", "a/b");
    assertThat(matched.inboxes()).hasSize(2);
    assertThat(
            matched.inboxes().stream()
                .filter(match -> match.inbox().clientId().equals("c"))
                .flatMap(match -> match.routes().stream())
                .map(route -> route.filter().text()))
        .containsExactly("a/#", "a/+");
  }

  @Test
  void shouldReturnTheSameObjectUntilAMatchingRouteChanges() {
    fixture.router().add(RouteFixture.live("t", "a/+", "n", 1)).join();
    MatchedRoutes first = fixture.match("t", "a/b");
    fixture.router().add(RouteFixture.live("t", "other/+", "n", 1)).join();
    assertThat(fixture.match("t", "a/b")).isSameAs(first);
    fixture.router().add(RouteFixture.live("t", "#", "m", 1)).join();
    assertThat(fixture.match("t", "a/b").nodes()).hasSize(2);
  }

  @Test
  void shouldReportWhichNodesOnlyReceiveQos0() {
    Receiver.Live node = new Receiver.Live("n", 1, "");
    fixture.router().add(liveOfQos("a/b", Qos.AT_MOST_ONCE)).join();
    assertThat(fixture.match("t", "a/b").shouldForward(node, Qos.AT_MOST_ONCE)).isTrue();
    assertThat(fixture.match("t", "a/b").shouldForward(node, Qos.AT_LEAST_ONCE)).isFalse();
    fixture.router().add(liveOfQos("a/+", Qos.AT_MOST_ONCE)).join();
    fixture.router().add(RouteFixture.inbox("t", "a/b", "c", Qos.AT_LEAST_ONCE)).join();
    assertThat(fixture.match("t", "a/b").shouldForward(node, Qos.AT_LEAST_ONCE)).isFalse();
    fixture.router().add(liveOfQos("a/+", Qos.EXACTLY_ONCE)).join();
    assertThat(fixture.match("t", "a/b").nodes()).containsExactly(node);
    assertThat(fixture.match("t", "a/b").shouldForward(node, Qos.AT_LEAST_ONCE)).isTrue();
  }

  private static Route liveOfQos(String filter, Qos qos) {
    return new Route(
        "t",
        TopicFilter.parse(filter),
        new Receiver.Live("n", 1, ""),
        SubscriptionOptions.ofQos(qos));
  }

  @Test
  void shouldReplaceOptionsWhenAddedAgain() {
    fixture.router().add(RouteFixture.inbox("t", "a", "c", Qos.AT_MOST_ONCE)).join();
    fixture.router().add(RouteFixture.inbox("t", "a", "c", Qos.EXACTLY_ONCE)).join();
    assertThat(fixture.match("t", "a").inboxes().get(0).routes())
        .singleElement()
        .satisfies(r -> assertThat(r.options().maxQos()).isEqualTo(Qos.EXACTLY_ONCE));
  }

  @Test
  void shouldReportARouteWithItsLatestOptions() {
    Route share = RouteFixture.inbox("t", "$share/s/a", "c", Qos.AT_LEAST_ONCE);
    for (Route other : List.of(share, RouteFixture.inbox("t", "a", "d", Qos.AT_LEAST_ONCE))) {
      Route before = RouteFixture.inbox("t", "a", "c", Qos.AT_MOST_ONCE);
      Route after = RouteFixture.inbox("t", "a", "c", Qos.EXACTLY_ONCE);
      assertThat(fixture.router().has(before)).isFalse();
      fixture.router().add(before).join();
      fixture.router().add(after).join();
      assertThat(fixture.router().has(before)).isFalse();
      assertThat(fixture.router().has(after)).isTrue();
      fixture.router().add(other).join();
      assertThat(fixture.router().has(other)).isTrue();
      assertThat(fixture.router().has(after)).isTrue();
      fixture.router().remove(after).join();
      assertThat(fixture.router().has(after)).isFalse();
      assertThat(fixture.router().has(other)).isTrue();
      fixture.router().remove(other).join();
    }
  }

  @Test
  void shouldRemoveOnlyRoutesOfEarlierProcessesOfTheNode() {
    for (int i = 0; i < 2_500; i++) {
      fixture.router().add(RouteFixture.live("t", "old/" + i, "n", 1)).join();
    }
    fixture.router().add(RouteFixture.live("t", "new", "n", 2)).join();
    fixture.router().add(RouteFixture.live("t", "old/1", "other", 1)).join();
    fixture.router().add(RouteFixture.inbox("t", "old/1", "c", Qos.AT_LEAST_ONCE)).join();
    assertThat(fixture.router().removeStale("n", 2).join()).isEqualTo(2_500);
    assertThat(fixture.match("t", "old/1").nodes())
        .extracting(Receiver.Live::node)
        .containsExactly("other");
    assertThat(fixture.match("t", "old/1").inboxes()).hasSize(1);
    assertThat(fixture.match("t", "new").nodes()).hasSize(1);
    fixture.crash();
    assertThat(fixture.router().status().routes()).isEqualTo(3);
  }

  @Test
  void shouldForgetNothingWhenAReplicaIsReopened() {
    fixture.router().add(RouteFixture.live("t", "a", "n", 1)).join();
    fixture.restart();
    assertThat(fixture.router().match("t", new Topic("a")).nodes()).hasSize(1);
  }
}
