package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.query.SubscriptionQueries.Found;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.range.RangeException;
import io.fjordmq.testing.RecordBuilder;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the list of the subscriptions to one topic filter reads these subscriptions only. */
class SubscriptionsOfTopicTest {
  private static final String WANTED = "a/+";
  private static final String SHARE = "$share/g/a/+";

  private static SubscriptionFilter ofTopic(String topic) {
    return with("topic", topic);
  }

  private static SubscriptionFilter with(String component, Object value) {
    return RecordBuilder.from(SubscriptionFilter.ALL)
        .with("topic", WANTED)
        .with(component, value)
        .build();
  }

  private static Found list(QueryFixture nodes, SubscriptionFilter filter) {
    return list(nodes.cluster, nodes.queries(0).subscriptions(), filter, Optional.empty(), 1_000);
  }

  private static Found list(
      TestCluster cluster,
      SubscriptionQueries queries,
      SubscriptionFilter filter,
      Optional<String> cursor,
      int limit) {
    CompletableFuture<Found> found = queries.list(filter, cursor, limit);
    cluster.settle();
    assertThat(found).isDone();
    return found.join();
  }

  private static List<String> ids(Found found) {
    return found.subscriptions().stream().map(ClientSubscription::clientId).toList();
  }

  private static List<String> sorted(Stream<String> clientIds) {
    return clientIds
        .map(id -> SessionPosition.of(new InboxId("t", id)))
        .sorted()
        .map(SessionPosition::clientId)
        .toList();
  }

  /** Connects clients of all kinds to all nodes; returns those that subscribe to the filter. */
  private static List<String> connectAll(QueryFixture nodes, int each) {
    List<String> subscribed = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      int at = i % nodes.cluster.size();
      nodes.cluster.node(at).connect("live-" + i).subscribe(1, WANTED, 1).readAll();
      nodes.cluster.node(at).connect("live-member-" + i).subscribe(1, SHARE, 1).readAll();
      nodes.cluster.node(at).connectPersistent("stored-" + i).subscribe(1, WANTED, 0).readAll();
      nodes.cluster.node(at).connectPersistent("member-" + i).subscribe(1, SHARE, 2).readAll();
      nodes
          .cluster
          .node(at)
          .connectPersistent("offline-" + i)
          .subscribe(1, WANTED, 1)
          .subscribe(2, "b", 1)
          .disconnect();
      nodes.cluster.node(at).connect("other-" + i).subscribe(1, "a/" + i, 1).readAll();
      subscribed.addAll(List.of("live-" + i, "stored-" + i, "offline-" + i));
    }
    nodes.cluster.settle();
    return sorted(subscribed.stream());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldListTheSubscriptionsOfAllNodesAndSessionsInOrder(int size) {
    try (QueryFixture nodes = new QueryFixture(size)) {
      List<String> expected = connectAll(nodes, 6);
      for (int node = 0; node < size; node++) {
        SubscriptionQueries queries = nodes.queries(node).subscriptions();
        Found all = list(nodes.cluster, queries, ofTopic(WANTED), Optional.empty(), 1_000);
        assertThat(ids(all)).isEqualTo(expected);
        assertThat(all.next()).isNull();
        assertThat(all.problems()).isEmpty();
        assertThat(all.subscriptions()).allMatch(row -> row.filter().text().equals(WANTED));
      }
      List<String> paged = new ArrayList<>();
      Optional<String> cursor = Optional.empty();
      do {
        Found page =
            list(nodes.cluster, nodes.queries(0).subscriptions(), ofTopic(WANTED), cursor, 4);
        assertThat(page.subscriptions().size()).isBetween(1, 4);
        paged.addAll(ids(page));
        cursor = Optional.ofNullable(page.next());
      } while (cursor.isPresent());
      assertThat(paged).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldShowEachSubscriptionLikeTheListOfAll(int size) {
    try (QueryFixture nodes = new QueryFixture(size)) {
      connectAll(nodes, 3);
      for (String topic : List.of(WANTED, SHARE, "b", "a/1")) {
        List<ClientSubscription> expected =
            list(nodes, SubscriptionFilter.ALL).subscriptions().stream()
                .filter(row -> row.filter().text().equals(topic))
                .toList();
        assertThat(expected).isNotEmpty();
        assertThat(list(nodes, ofTopic(topic)).subscriptions()).isEqualTo(expected);
      }
    }
  }

  @Test
  void shouldCombineTheTopicWithOtherConditions() {
    try (QueryFixture nodes = new QueryFixture(3)) {
      connectAll(nodes, 3);
      assertThat(ids(list(nodes, with("tenant", "t")))).hasSize(9);
      assertThat(ids(list(nodes, with("tenant", "other")))).isEmpty();
      assertThat(ids(list(nodes, with("durable", true))))
          .isEqualTo(sorted(Stream.of("stored-", "offline-").flatMap(id -> numbered(id, 3))));
      assertThat(ids(list(nodes, with("durable", false)))).isEqualTo(sorted(numbered("live-", 3)));
      assertThat(ids(list(nodes, with("node", "n2"))))
          .isEqualTo(sorted(Stream.of("live-2", "stored-2")));
      assertThat(ids(list(nodes, with("qos", 0)))).isEqualTo(sorted(numbered("stored-", 3)));
      assertThat(ids(list(nodes, with("shareGroup", "g")))).isEmpty();
      SubscriptionFilter share = RecordBuilder.from(ofTopic(SHARE)).with("shareGroup", "g").build();
      assertThat(ids(list(nodes, share))).hasSize(6);
      for (String impossible : List.of("a/#/b", "", "$share/g", "none")) {
        Found none = list(nodes, ofTopic(impossible));
        assertThat(none.subscriptions()).as(impossible).isEmpty();
        assertThat(none.next()).as(impossible).isNull();
        assertThat(none.problems()).as(impossible).isEmpty();
      }
    }
  }

  private static Stream<String> numbered(String start, int count) {
    return Stream.iterate(0, i -> i < count, i -> i + 1).map(i -> start + i);
  }

  @Test
  void shouldSkipRoutesWithoutASubscription() {
    try (QueryFixture nodes = new QueryFixture(3)) {
      TestClient leaving = nodes.cluster.node(1).connect("leaving").subscribe(1, WANTED, 1);
      leaving.readAll();
      nodes.cluster.node(2).connectPersistent("ending").subscribe(1, WANTED, 1).disconnect();
      nodes.cluster.node(2).connectPersistent("staying").subscribe(1, WANTED, 1).disconnect();
      nodes.cluster.pauseRouteApply(1);
      leaving.send(MqttMessageBuilders.unsubscribe().messageId(2).addTopicFilter(WANTED).build());
      nodes.cluster.settle();
      nodes.queries(0).clients().kick("t", "ending");
      nodes.cluster.settle();
      assertThat(nodes.cluster.node(1).queryDependencies.routes().routesOf("t", filter(WANTED)))
          .as("node 1 still has the routes")
          .hasSize(3);
      Found found =
          list(
              nodes.cluster,
              nodes.queries(1).subscriptions(),
              ofTopic(WANTED),
              Optional.empty(),
              1_000);
      assertThat(ids(found)).containsExactly("staying");
      assertThat(found.problems()).isEmpty();
      nodes.cluster.resumeRouteApply(1);
    }
  }

  private static TopicFilter filter(String text) {
    return TopicFilter.parse(text);
  }

  @Test
  void shouldNotReadOtherSubscriptions() {
    try (TestCluster single = new TestCluster(1)) {
      List<SessionPosition> read = new ArrayList<>();
      SubscriptionQueries queries = counting(single, read, id -> true);
      List<String> stored = List.of("one", "two", "three");
      for (String id : stored) {
        single.node(0).connectPersistent(id).subscribe(1, WANTED, 1).disconnect();
      }
      single.settle();
      List<SessionPosition> subscribers =
          stored.stream().map(id -> SessionPosition.of(new InboxId("t", id))).sorted().toList();
      for (int others = 0; others < 3; others++) {
        Found found = list(single, queries, ofTopic(WANTED), Optional.empty(), 100);
        assertThat(ids(found)).isEqualTo(sorted(stored.stream()));
        assertThat(read).as("sessions whose subscriptions were read").isEqualTo(subscribers);
        read.clear();
        for (int i = 0; i < 30; i++) {
          String id = "other-" + others + "-" + i;
          single.node(0).connectPersistent(id).subscribe(1, "b/" + id, 1).disconnect();
        }
        single.settle();
      }
    }
  }

  @Test
  void shouldReadOnlyThePageIfThereAreManySubscribers() {
    try (TestCluster single = new TestCluster(1)) {
      List<SessionPosition> read = new ArrayList<>();
      SubscriptionQueries queries = counting(single, read, id -> true);
      for (int i = 0; i < 200; i++) {
        single.node(0).connectPersistent("c" + i).subscribe(1, WANTED, 1).disconnect();
      }
      single.settle();
      List<String> expected = sorted(numbered("c", 200));
      Found first = list(single, queries, ofTopic(WANTED), Optional.empty(), 100);
      assertThat(ids(first)).isEqualTo(expected.subList(0, 100));
      assertThat(read).hasSizeLessThanOrEqualTo(101);
      Found second = list(single, queries, ofTopic(WANTED), Optional.ofNullable(first.next()), 100);
      assertThat(ids(second)).isEqualTo(expected.subList(100, 200));
      assertThat(second.next()).isNull();
    }
  }

  @Test
  void shouldAskOnlyNodesWithSubscribersAndNameThoseThatDoNotRespond() {
    try (QueryFixture nodes = new QueryFixture(3)) {
      nodes.cluster.node(0).connect("here").subscribe(1, WANTED, 1).readAll();
      nodes.cluster.node(1).connect("there").subscribe(1, WANTED, 1).readAll();
      nodes.cluster.cut(0, 2);
      Found complete = list(nodes, ofTopic(WANTED));
      assertThat(ids(complete)).isEqualTo(sorted(Stream.of("here", "there")));
      assertThat(complete.problems()).isEmpty();
      nodes.cluster.cut(0, 1);
      Found partial = list(nodes, ofTopic(WANTED));
      assertThat(ids(partial)).containsExactly("here");
      assertThat(partial.problems()).singleElement().asString().startsWith("node n1: ");
    }
  }

  @Test
  void shouldNameTheRangeThatDoesNotRespondOnceAndListTheOthers() {
    try (TestCluster single = new TestCluster(1)) {
      List<String> available = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        single.node(0).connectPersistent("c" + i).subscribe(1, WANTED, 1).disconnect();
        if (new InboxId("t", "c" + i).bucket() >= 1_024) {
          available.add("c" + i);
        }
      }
      single.settle();
      assertThat(available).hasSizeBetween(1, 299);
      List<SessionPosition> read = new ArrayList<>();
      SubscriptionQueries queries = counting(single, read, at -> at.bucket() >= 1_024);
      Found found = list(single, queries, ofTopic(WANTED), Optional.empty(), 1_000);
      assertThat(ids(found)).isEqualTo(sorted(available.stream()));
      assertThat(found.problems()).containsExactly("inbox range with buckets 0 to 1023: planted");
      assertThat(read.stream().filter(at -> at.bucket() < 1_024))
          .as("the range is not asked again and again")
          .hasSizeLessThanOrEqualTo(64);
      assertThat(found.next()).isNull();
    }
  }

  /** The queries of the node; records where subscriptions of sessions are read. */
  private static SubscriptionQueries counting(
      TestCluster single, List<SessionPosition> read, Predicate<SessionPosition> isAvailable) {
    ClusterQueries.Dependencies dependencies = single.node(0).queryDependencies;
    SessionQueries all = dependencies.sessions();
    SessionQueries counting =
        (SessionQueries)
            Proxy.newProxyInstance(
                SessionQueries.class.getClassLoader(),
                new Class<?>[] {SessionQueries.class},
                (proxy, method, arguments) -> {
                  SessionPosition from = (SessionPosition) arguments[0];
                  if (method.getName().equals("endOfRange")) {
                    return from.bucket() < 1_024
                        ? new SessionPosition(1_024, "", "")
                        : SessionPosition.END;
                  }
                  read.add(from);
                  return isAvailable.test(from)
                      ? method.invoke(all, arguments)
                      : CompletableFuture.failedFuture(
                          new RangeException(RangeException.Kind.UNAVAILABLE, "planted"));
                });
    return ClusterQueries.openOn(
            RecordBuilder.from(dependencies).with("sessions", counting).build(), Runnable::run)
        .subscriptions();
  }
}
