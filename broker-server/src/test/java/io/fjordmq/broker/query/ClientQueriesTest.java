package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.query.ClientFilter.TimeSpan;
import io.fjordmq.broker.query.ClientQueries.KickOutcome;
import io.fjordmq.broker.query.ClientQueries.Kicked;
import io.fjordmq.broker.query.ClientQueries.Search;
import io.fjordmq.broker.session.ConnectedClient;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.range.RangeException;
import io.fjordmq.testing.RecordBuilder;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queries of one node about the clients of three. */
class ClientQueriesTest {
  private static final int UNAVAILABLE_BUCKETS = 1_024;

  private final QueryFixture nodes = new QueryFixture(3);
  private final TestCluster cluster = nodes.cluster;

  @AfterEach
  void close() {
    nodes.close();
  }

  private ClientQueries queries(int node) {
    return nodes.queries(node).clients();
  }

  private <T> T get(CompletableFuture<T> future) {
    return nodes.settled(future).join();
  }

  private ClientPage list(int node, ClientFilter filter) {
    return get(queries(node).list(filter, Optional.empty(), 0, 1_000));
  }

  private static LiveClient live(ClientRow row) {
    return Objects.requireNonNull(row.live());
  }

  private static List<String> ids(ClientPage page) {
    return page.clients().stream().map(row -> row.id().clientId()).toList();
  }

  private static List<String> sorted(Stream<String> clientIds) {
    return clientIds
        .map(id -> SessionPosition.of(new InboxId("t", id)))
        .sorted()
        .map(SessionPosition::clientId)
        .toList();
  }

  private static ClientFilter with(String component, Object value) {
    return RecordBuilder.from(ClientFilter.ALL).with(component, value).build();
  }

  @Test
  void shouldListConnectedAndOfflineClientsOfAllNodesInOneOrder() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      cluster.node(i % 3).connect("transient-" + i);
      cluster.node(i % 3).connectPersistent("persistent-" + i);
      cluster.node(i % 3).connectPersistent("offline-" + i).disconnect();
      all.addAll(List.of("transient-" + i, "persistent-" + i, "offline-" + i));
    }
    for (int node = 0; node < 3; node++) {
      ClientPage page = list(node, ClientFilter.ALL);
      assertThat(page.problems()).isEmpty();
      assertThat(page.next()).isNull();
      assertThat(ids(page)).isEqualTo(sorted(all.stream()));
      for (ClientRow row : page.clients()) {
        int number = Integer.parseInt(row.id().clientId().replaceAll(".*-", ""));
        boolean offline = row.id().clientId().startsWith("offline");
        assertThat(row.node()).isEqualTo(offline ? null : "n" + number % 3);
        assertThat(row.live() == null).isEqualTo(offline);
        assertThat(row.stored() == null).isEqualTo(row.id().clientId().startsWith("transient"));
      }
      // Each node of a TestCluster counts the sessions of all ranges.
      assertThat(get(queries(node).count())).contains(60L + 3 * 30L);
    }
    List<String> paged = new ArrayList<>();
    Optional<String> next = Optional.empty();
    do {
      ClientPage page = get(queries(0).list(ClientFilter.ALL, next, 0, 7));
      assertThat(page.clients().size()).isEqualTo(page.next() == null ? 90 % 7 : 7);
      paged.addAll(ids(page));
      next = Optional.ofNullable(page.next());
    } while (next.isPresent());
    assertThat(paged).isEqualTo(sorted(all.stream()));
    ClientPage last = get(queries(0).list(ClientFilter.ALL, Optional.empty(), 80, 100));
    assertThat(ids(last)).isEqualTo(paged.subList(80, 90));
    ClientPage behind = get(queries(0).list(ClientFilter.ALL, Optional.empty(), 99, 9));
    assertThat(behind.clients()).isEmpty();
  }

  @Test
  void shouldFilter() {
    cluster.node(0).connect("sensor-1");
    cluster.node(1).connectPersistent("sensor-2");
    cluster.advanceTime(Duration.ofSeconds(10));
    final long later = cluster.ranges.nowMillis();
    cluster.node(2).connectPersistent("meter-1");
    cluster.node(2).connectPersistent("meter-2").disconnect();
    cluster.node(0).open().connect3("sensor-3", true).readAll();
    assertThat(ids(list(0, with("clientIdPart", "sensor"))))
        .isEqualTo(sorted(Stream.of("sensor-1", "sensor-2", "sensor-3")));
    assertThat(ids(list(0, with("node", "n2")))).containsExactly("meter-1");
    assertThat(ids(list(0, with("connected", false)))).containsExactly("meter-2");
    assertThat(ids(list(0, with("connected", true)))).hasSize(4);
    assertThat(ids(list(0, with("cleanStart", false))))
        .isEqualTo(sorted(Stream.of("meter-1", "sensor-2")));
    assertThat(ids(list(0, with("protocolLevel", 4)))).containsExactly("sensor-3");
    assertThat(ids(list(0, with("connectedAt", new TimeSpan(later, Long.MAX_VALUE)))))
        .isEqualTo(sorted(Stream.of("meter-1", "sensor-3")));
    assertThat(ids(list(0, with("createdAt", new TimeSpan(0, later - 1)))))
        .isEqualTo(sorted(Stream.of("sensor-1", "sensor-2")));
    assertThat(ids(list(0, with("tenant", "other")))).isEmpty();
    assertThat(ids(list(0, ClientFilter.ofTenant("t")))).hasSize(5);
    // Lists of connected clients also show the sessions in the store.
    ClientPage persistent = list(0, with("node", "n1"));
    assertThat(persistent.clients().get(0).stored()).isNotNull();
  }

  @Test
  void shouldShowAClientAndItsState() {
    TestClient client = cluster.node(1).connectPersistent("c");
    client.subscribe(1, "a/#", 1).readAll();
    cluster.node(2).connect("p").publish(1, 1, "a/b", "x").readAll();
    Search search = get(queries(0).find(null, "c"));
    assertThat(search.problems()).isEmpty();
    assertThat(search.clients()).hasSize(1);
    ClientRow row = search.clients().get(0);
    assertThat(row.node()).isEqualTo("n1");
    assertThat(live(row).state().inflight()).isEqualTo(1);
    assertThat(live(row).state().subscriptions()).isEqualTo(1);
    assertThat(live(row).state().heldBackBy()).isEmpty();
    assertThat(live(row).attributes().persistent()).isTrue();
    assertThat(Objects.requireNonNull(row.stored()).queued()).isEqualTo(1);
    assertThat(get(queries(0).find("t", "c")).clients()).hasSize(1);
    assertThat(get(queries(0).find("other", "c")).clients()).isEmpty();
    assertThat(get(queries(0).find(null, "nobody")).clients()).isEmpty();
  }

  @Test
  void shouldKickAClientOfAnotherNodeAndEndItsSession() {
    TestClient client = cluster.node(1).connectPersistent("c");
    client.subscribe(1, "a", 1).readAll();
    Kicked kicked = get(queries(0).kick("t", "c"));
    assertThat(kicked.outcome()).isEqualTo(KickOutcome.DISCONNECTED);
    assertThat(client.next()).startsWith("DISCONNECT 98");
    assertThat(client.isOpen()).isFalse();
    assertThat(get(queries(2).find("t", "c")).clients()).isEmpty();
    TestClient again = cluster.node(1).open().connect5("c", false, 1_000);
    assertThat(again.next()).doesNotContain("present");
    assertThat(live(get(queries(0).find("t", "c")).clients().get(0)).state().subscriptions())
        .isZero();
  }

  @Test
  void shouldTellThatAClientHasDisconnectedBeforeItIsKicked() {
    TestClient client = cluster.node(1).connectPersistent("c");
    ConnectedClient found =
        Objects.requireNonNull(cluster.node(1).queryDependencies.clients().find("t", "c"));
    client.disconnect();
    assertThat(get(found.kick())).isFalse();
    assertThat(get(queries(0).find("t", "c")).clients()).as("the session remains").hasSize(1);
  }

  @Test
  void shouldEndAnOfflineSession() {
    TestClient client = cluster.node(1).connectPersistent("c");
    client.subscribe(1, "a", 1).readAll();
    client.disconnect();
    assertThat(get(queries(0).kick("t", "c")).outcome()).isEqualTo(KickOutcome.SESSION_ENDED);
    assertThat(get(queries(0).kick("t", "c")).outcome()).isEqualTo(KickOutcome.NOT_FOUND);
    TestClient publisher = cluster.node(2).connect("p");
    publisher.publish(1, 1, "a", "x");
    assertThat(publisher.next()).startsWith("PUBACK 1").endsWith("10");
  }

  @Test
  void shouldNameANodeThatDoesNotRespond() {
    cluster.node(0).connect("here");
    cluster.node(1).connect("cut-transient");
    cluster.node(1).connectPersistent("cut-persistent");
    cluster.node(2).connect("there");
    cluster.cut(0, 1);
    ClientPage page = list(0, ClientFilter.ALL);
    assertThat(page.problems()).hasSize(1).first().asString().startsWith("node n1: ");
    assertThat(ids(page)).isEqualTo(sorted(Stream.of("here", "there", "cut-persistent")));
    ClientRow persistent =
        page.clients().stream()
            .filter(row -> row.id().clientId().equals("cut-persistent"))
            .findFirst()
            .orElseThrow();
    assertThat(persistent.node()).isEqualTo("n1");
    assertThat(persistent.live()).isNull();
    Search search = get(queries(0).find("t", "cut-transient"));
    assertThat(search.clients()).isEmpty();
    assertThat(search.problems()).hasSize(1);
    assertThat(get(queries(0).count())).isEmpty();
    Kicked kicked = get(queries(0).kick("t", "cut-transient"));
    assertThat(kicked.outcome()).isEqualTo(KickOutcome.NOT_FOUND);
    assertThat(kicked.problems()).hasSize(1);
    cluster.heal();
    assertThat(list(0, ClientFilter.ALL).problems()).isEmpty();
  }

  @Test
  void shouldNameARangeThatIsUnavailableAndListTheOthers() {
    try (TestCluster single = new TestCluster(1)) {
      List<String> available = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String clientId = "c" + i;
        single.node(0).connectPersistent(clientId).disconnect();
        if (new InboxId("t", clientId).bucket() >= UNAVAILABLE_BUCKETS) {
          available.add(clientId);
        }
      }
      assertThat(available).hasSizeBetween(1, 39);
      ClusterQueries.Dependencies dependencies = single.node(0).queryDependencies;
      ClientQueries broken =
          ClusterQueries.openOn(
                  RecordBuilder.from(dependencies)
                      .with("sessions", withoutFirstRange(dependencies.sessions()))
                      .build(),
                  Runnable::run)
              .clients();
      CompletableFuture<ClientPage> listed =
          broken.list(ClientFilter.ALL, Optional.empty(), 0, 100);
      single.settle();
      ClientPage page = listed.join();
      assertThat(ids(page)).isEqualTo(sorted(available.stream()));
      assertThat(page.problems())
          .containsExactly(
              "inbox range with buckets 0 to " + (UNAVAILABLE_BUCKETS - 1) + ": planted");
      assertThat(page.next()).isNull();
    }
  }

  /** Fails for the sessions of the first buckets. */
  private static SessionQueries withoutFirstRange(SessionQueries all) {
    return (SessionQueries)
        Proxy.newProxyInstance(
            SessionQueries.class.getClassLoader(),
            new Class<?>[] {SessionQueries.class},
            (proxy, method, arguments) -> {
              SessionPosition from = (SessionPosition) arguments[0];
              boolean unavailable = from.bucket() < UNAVAILABLE_BUCKETS;
              if (method.getName().equals("endOfRange")) {
                return new SessionPosition(UNAVAILABLE_BUCKETS, "", "");
              }
              return unavailable
                  ? CompletableFuture.failedFuture(
                      new RangeException(RangeException.Kind.UNAVAILABLE, "planted"))
                  : method.invoke(all, arguments);
            });
  }
}
