package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.inbox.InboxId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FirstSubscriptionsTest {
  private static final List<InboxId> ADDED =
      IntStream.range(0, 20).mapToObj(i -> new InboxId("t" + i % 2, "c" + i)).toList();

  private static List<InboxId> sorted() {
    return ADDED.stream()
        .map(id -> SubscriptionPosition.of(id, "a"))
        .sorted()
        .map(at -> new InboxId(at.session().tenant(), at.session().clientId()))
        .toList();
  }

  private static FirstSubscriptions<String> select(SubscriptionPosition from, int limit) {
    FirstSubscriptions<String> first = new FirstSubscriptions<>("a", from, limit);
    ADDED.forEach(id -> first.add(id, "obsolete"));
    ADDED.forEach(id -> first.add(id, id.clientId()));
    return first;
  }

  private static List<InboxId> ids(FirstSubscriptions<String> first) {
    List<InboxId> ids = new ArrayList<>();
    first.forEach(
        (id, value) -> {
          assertThat(value).isEqualTo(id.clientId());
          ids.add(id);
        });
    return ids;
  }

  @Test
  void shouldSelectTheFirstSubscriptionsFromAPositionOn() {
    List<InboxId> paged = new ArrayList<>();
    SubscriptionPosition next = SubscriptionPosition.START;
    while (!next.equals(SubscriptionPosition.END)) {
      FirstSubscriptions<String> page = select(next, 7);
      assertThat(ids(page)).hasSizeLessThanOrEqualTo(7);
      paged.addAll(ids(page));
      next = page.next();
    }
    assertThat(paged).isEqualTo(sorted());
  }

  @Test
  void shouldEndIfThereAreExactlyAsManyAsSelected() {
    FirstSubscriptions<String> all = select(SubscriptionPosition.START, ADDED.size());
    assertThat(ids(all)).isEqualTo(sorted());
    assertThat(all.next()).isEqualTo(SubscriptionPosition.END);
    InboxId last = sorted().get(ADDED.size() - 1);
    assertThat(ids(select(SubscriptionPosition.of(last, "a"), 5))).containsExactly(last);
    assertThat(ids(select(SubscriptionPosition.after(last, "a"), 5))).isEmpty();
  }
}
