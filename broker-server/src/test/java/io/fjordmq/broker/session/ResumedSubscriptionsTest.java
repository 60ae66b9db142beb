package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.StoreTasks;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.router.Receiver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the resumption of persistent sessions with many filters. */
class ResumedSubscriptionsTest {
  private static final int FILTERS = 1_200;
  private static final int BATCH = 500;

  /** Number of large sessions that may resubscribe at the same time. */
  private static final int MAX_CONCURRENT = 8;

  private final World world = new World();
  private StoreTasks routing = world.tasks;

  @AfterEach
  void close() {
    world.close();
  }

  private void createOfflineSession(String clientId, String filters) {
    TestClient client = world.open().connect3(clientId, false);
    for (int i = 0; i < FILTERS; i++) {
      client.subscribe(1 + i, filters + i, 1);
    }
    client.cut();
  }

  /** Creates offline sessions; afterwards the router does not respond. */
  private void createOfflineSessions() {
    createOfflineSession("many", "m/");
    world.open().connect3("one", false).subscribe(1, "o", 1).cut();
    world.settle();
    assertThat(world.router.filters(Receiver.Live.class)).isEmpty();
    routing = world.separateRouting();
    routing.hold();
  }

  @Test
  void shouldResubscribeInSlicesSoThatOtherSessionsAreNotBlocked() {
    createOfflineSessions();
    TestClient many = world.open().connect3("many", false);
    assertThat(routing.waiting()).isEqualTo(BATCH);
    TestClient one = world.open().connect3("one", false);
    assertThat(routing.waiting()).isEqualTo(BATCH + 1);
    many.expect();
    one.expect();
    routing.resume();
    world.settle();
    many.expect("CONNACK 0 present");
    one.expect("CONNACK 0 present");
    assertThat(world.router.filters(Receiver.Live.class)).hasSize(FILTERS + 1);
  }

  @Test
  void shouldStopWhenTheClientDisconnects() {
    createOfflineSessions();
    TestClient impatient = world.open().connect3("many", false);
    impatient.cut();
    assertThat(routing.waiting()).isEqualTo(BATCH);
    routing.resume();
    world.settle();
    assertThat(world.router.filters(Receiver.Live.class)).isEmpty();
    assertThat(world.router.additions()).isEqualTo(2 * (FILTERS + 1) + BATCH);
  }

  /** Reconnects more large sessions than may resubscribe at the same time. */
  private List<TestClient> reconnectLargeSessions() {
    for (int i = 0; i <= MAX_CONCURRENT; i++) {
      createOfflineSession("large-" + i, i + "/");
    }
    world.settle();
    routing = world.separateRouting();
    routing.hold();
    List<TestClient> clients = new ArrayList<>();
    for (int i = 0; i <= MAX_CONCURRENT; i++) {
      clients.add(world.open().connect3("large-" + i, false));
    }
    assertThat(routing.waiting()).isEqualTo(MAX_CONCURRENT * BATCH);
    return clients;
  }

  private boolean hasStarted(int session) {
    return world.router.filters(Receiver.Live.class).stream()
        .anyMatch(filter -> filter.startsWith(session + "/"));
  }

  @Test
  void shouldFinishStartedSessionsBeforeStartingOthers() {
    List<TestClient> clients = reconnectLargeSessions();
    List<String> connected = List.of();
    while (connected.isEmpty()) {
      routing.release(BATCH);
      world.settle();
      connected = clients.get(0).readAll();
    }
    assertThat(connected).containsExactly("CONNACK 0 present");
    assertThat(hasStarted(MAX_CONCURRENT - 1)).isTrue();
    assertThat(hasStarted(MAX_CONCURRENT)).isFalse();
    clients.get(MAX_CONCURRENT).expect();
    routing.resume();
    world.settle();
    clients.get(MAX_CONCURRENT).expect("CONNACK 0 present");
  }

  @Test
  void shouldReleaseTheSessionOfAClientThatDisconnectsWhileQueued() {
    List<TestClient> clients = reconnectLargeSessions();
    assertThat(world.sessions.size()).isEqualTo(MAX_CONCURRENT + 1);
    clients.get(MAX_CONCURRENT).cut();
    world.settle();
    assertThat(world.sessions.size()).isEqualTo(MAX_CONCURRENT);
  }
}
