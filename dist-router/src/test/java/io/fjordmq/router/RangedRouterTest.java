package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RangedRouterTest {
  private final RouterFixture fixture = RouterFixture.of(3, 100);

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void shouldMergeOverlappingFiltersOfAnInboxInTheOrderOfTheirText() {
    fixture.router().add(RouterFixture.inbox("t", "a/+", "c", Qos.AT_MOST_ONCE)).join();
    fixture.router().add(RouterFixture.inbox("t", "a/#", "c", Qos.EXACTLY_ONCE)).join();
    fixture.router().add(RouterFixture.inbox("t", "a/b", "d", Qos.AT_LEAST_ONCE)).join();
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
    fixture.router().add(RouterFixture.live("t", "a/+", "n", 1)).join();
    MatchedRoutes first = fixture.match("t", "a/b");
    fixture.router().add(RouterFixture.live("t", "other/+", "n", 1)).join();
    assertThat(fixture.match("t", "a/b")).isSameAs(first);
    fixture.router().add(RouterFixture.live("t", "#", "m", 1)).join();
    assertThat(fixture.match("t", "a/b").nodes()).hasSize(2);
  }

  @Test
  void shouldKnowWhichNodesWantNothingButQos0() {
    Receiver.Live node = new Receiver.Live("n", 1, "");
    fixture.router().add(liveOfQos("a/b", Qos.AT_MOST_ONCE)).join();
    assertThat(fixture.match("t", "a/b").isWanted(node, Qos.AT_MOST_ONCE)).isTrue();
    assertThat(fixture.match("t", "a/b").isWanted(node, Qos.AT_LEAST_ONCE)).isFalse();
    fixture.router().add(liveOfQos("a/+", Qos.AT_MOST_ONCE)).join();
    fixture.router().add(RouterFixture.inbox("t", "a/b", "c", Qos.AT_LEAST_ONCE)).join();
    assertThat(fixture.match("t", "a/b").isWanted(node, Qos.AT_LEAST_ONCE)).isFalse();
    fixture.router().add(liveOfQos("a/+", Qos.EXACTLY_ONCE)).join();
    assertThat(fixture.match("t", "a/b").nodes()).containsExactly(node);
    assertThat(fixture.match("t", "a/b").isWanted(node, Qos.AT_LEAST_ONCE)).isTrue();
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
    fixture.router().add(RouterFixture.inbox("t", "a", "c", Qos.AT_MOST_ONCE)).join();
    fixture.router().add(RouterFixture.inbox("t", "a", "c", Qos.EXACTLY_ONCE)).join();
    assertThat(fixture.match("t", "a").inboxes().get(0).routes())
        .singleElement()
        .satisfies(r -> assertThat(r.options().maxQos()).isEqualTo(Qos.EXACTLY_ONCE));
  }

  @Test
  void shouldHaveARouteWithTheOptionsItWasAddedWithLast() {
    Route share = RouterFixture.inbox("t", "$share/s/a", "c", Qos.AT_LEAST_ONCE);
    for (Route other : List.of(share, RouterFixture.inbox("t", "a", "d", Qos.AT_LEAST_ONCE))) {
      Route before = RouterFixture.inbox("t", "a", "c", Qos.AT_MOST_ONCE);
      Route after = RouterFixture.inbox("t", "a", "c", Qos.EXACTLY_ONCE);
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
      fixture.router().add(RouterFixture.live("t", "old/" + i, "n", 1)).join();
    }
    fixture.router().add(RouterFixture.live("t", "new", "n", 2)).join();
    fixture.router().add(RouterFixture.live("t", "old/1", "other", 1)).join();
    fixture.router().add(RouterFixture.inbox("t", "old/1", "c", Qos.AT_LEAST_ONCE)).join();
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
    fixture.router().add(RouterFixture.live("t", "a", "n", 1)).join();
    fixture.restart();
    assertThat(fixture.router().match("t", new Topic("a")).nodes()).hasSize(1);
  }

  @Test
  void shouldKeepStoredFormsByteForByte() {
    HexFormat hex = HexFormat.of();
    Route inbox =
        new Route(
            "t",
            TopicFilter.parse("$share/s/a"),
            new Receiver.Inbox("c", 2),
            new SubscriptionOptions(Qos.EXACTLY_ONCE, true, true, RetainHandling.SEND_NEVER, 300));
    byte[] key = RouteCodec.key(inbox);
    byte[] value = RouteCodec.value(inbox.options());
    assertThat(hex.formatHex(key))
        .isEqualTo("a68d01740a2473686172652f732f610101630000000000000002");
    assertThat(hex.formatHex(value)).isEqualTo("012eac02");
    assertThat(RouteCodec.decode(key, value)).isEqualTo(inbox);
    Route live = RouterFixture.live("t", "a", "n", 3);
    assertThat(hex.formatHex(RouteCodec.key(live)))
        .isEqualTo("34c30174016100016e000000000000000300");
    assertThat(hex.formatHex(new RouteCommand.Add(new byte[] {7}, new byte[] {8}).encode()))
        .isEqualTo("0101010708");
    assertThat(hex.formatHex(new RouteCommand.Remove(new byte[] {7}).encode()))
        .isEqualTo("01020107");
    byte[] from = {7, 8};
    assertThat(hex.formatHex(new RouteCommand.RemoveStale("n", 3, 5, from).encode()))
        .isEqualTo("0103016e0000000000000003050708");
    assertThat(hex.formatHex(new StaleRoutesRemoved(300, from).encode())).isEqualTo("0101ac020708");
    assertThat(hex.formatHex(new StaleRoutesRemoved(0, null).encode())).isEqualTo("010000");
  }
}
