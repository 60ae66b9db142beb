package io.fjordmq.broker.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The log keeps the latest events of the clients seen last, combines repetitions, and is bounded.
 */
class ClientEventLogTest {
  private static final long MIB = 1 << 20;

  private long now = 1_000;
  private final ClientEventLog log = log(1_000, 32 * MIB);

  private ClientEventLog log(int maxClients, long maxBytes) {
    return new ClientEventLog(
        new EventsSettings(maxClients, maxBytes), () -> Instant.ofEpochMilli(now));
  }

  private static Dropped dropped(String topic) {
    return Dropped.toClient("queue_full", 1, topic, "sessionConfig.maxQueuedMessages", 1_000);
  }

  private static Connected connected() {
    return new Connected("10.0.0.1:5000", "tcpListener", null, 5, false);
  }

  private static Refused refused(String clientPort) {
    return new Refused(
        "10.0.0.1:" + clientPort,
        "tcpListener",
        "meter7",
        "not_authorized",
        0x87,
        new Denial("securityConfig.passwordFile", "", "wrong password"));
  }

  /** The connect event of a connection. */
  private static final class Connection implements ConnectEvent {
    private long keptAtMillis = NONE;

    @Override
    public Connected event() {
      return connected();
    }

    @Override
    public void keep(long atMillis) {
      keptAtMillis = atMillis;
    }

    @Override
    public long keptAtMillis() {
      return keptAtMillis;
    }

    @Override
    public void release() {
      keptAtMillis = NONE;
    }
  }

  private final Map<String, Connection> connections = new HashMap<>();

  /** Connects a client of tenant t to a log. */
  private Connection connect(ClientEventLog to, String clientId) {
    to.findConnectsIn(
        (tenant, id) -> tenant.equals("t") ? connections.get(id) : null, () -> List.of("s", "t"));
    Connection connection = new Connection();
    connections.put(clientId, connection);
    to.recordConnected("t", clientId, connection);
    return connection;
  }

  private List<String> types(String clientId) {
    return log.find("t", clientId).stream().map(event -> event.event().type()).toList();
  }

  private List<String> messages(String clientId) {
    return log.find("t", clientId).stream().map(RecordedEvent::message).toList();
  }

  /** Each shard has its own limits, so uneven shards would evict clients too early. */
  @Test
  void shouldSpreadNumberedClientsEvenly() {
    for (int i = 0; i < 500; i++) {
      log.record("", "device-%08d".formatted(i), dropped("t"));
    }
    assertThat(log.size()).isGreaterThan(490);
  }

  @Test
  void shouldKeepTheLastEventsOfAClient() {
    for (int i = 1; i <= 60; i++) {
      now = i;
      log.record("t", "c", new WillPublished("w/" + i, true));
    }
    assertThat(log.find("t", "c"))
        .hasSize(ClientRecord.MAX_EVENTS)
        .first()
        .isEqualTo(new RecordedEvent("t", 11, 11, 1, new WillPublished("w/11", true)));
    assertThat(log.find("t", "other")).isEmpty();
    assertThat(log.find("other", "c")).isEmpty();
  }

  @Test
  void shouldCombineDropsForTheSameReason() {
    log.record("t", "c", dropped("a/b"));
    now = 2_000;
    log.record(
        "t",
        "c",
        Dropped.toClient("queue_full", 11, "a/b", "sessionConfig.maxQueuedMessages", 1_000));
    assertThat(log.find("t", "c"))
        .singleElement()
        .satisfies(
            drop -> {
              assertThat(drop.count()).isEqualTo(12);
              assertThat(drop.firstAtMillis()).isEqualTo(1_000);
              assertThat(drop.atMillis()).isEqualTo(2_000);
            });
    assertThat(messages("c"))
        .containsExactly(
            "Dropped 12 messages on topic a/b: the queue of the session is full"
                + " (sessionConfig.maxQueuedMessages=1000)");
    log.record("t", "c", dropped("a/c"));
    log.record("t", "c", dropped("a/c"));
    log.record("t", "c", Dropped.toClient("expired", 1, "a/c"));
    assertThat(messages("c"))
        .containsExactly(
            "Dropped 14 messages, last on topic a/c: the queue of the session is full"
                + " (sessionConfig.maxQueuedMessages=1000)",
            "Dropped a message on topic a/c: the message expiry interval had passed");
  }

  @Test
  void shouldNotCombineEventsOfDifferentConnections() {
    log.record("t", "c", dropped("a"));
    log.record("t", "c", connected());
    log.record("t", "c", dropped("a"));
    assertThat(log.find("t", "c"))
        .extracting(event -> event.event().type())
        .containsExactly("dropped", "connected", "dropped");
  }

  @Test
  void shouldCombineRepeatedThrottling() {
    Throttled begin = new Throttled(false, "sessionConfig.publishesPerSecond", 100);
    for (int i = 0; i < 40; i++) {
      now += 500;
      log.record("t", "c", begin);
      now += 500;
      log.record("t", "c", new ThrottleEnded(false, "sessionConfig.publishesPerSecond"));
    }
    assertThat(messages("c"))
        .containsExactly(
            "Throttled 40 times: reading from the client paused because a rate limit was reached"
                + " (sessionConfig.publishesPerSecond=100)",
            "Throttling ended 40 times: reading from the client resumed"
                + " (sessionConfig.publishesPerSecond)");
  }

  @Test
  void shouldCombineRefusalsWhateverPortTheyComeFrom() {
    log.recordUnconnected(null, "c", refused("1"));
    log.recordUnconnected(null, "c", refused("2"));
    assertThat(log.find(null, "c"))
        .singleElement()
        .extracting(RecordedEvent::message)
        .isEqualTo(
            "Refused CONNECT 2 times, last from 10.0.0.1:2: not authorized (0x87); user 'meter7' is"
                + " denied by securityConfig.passwordFile: wrong password");
  }

  @Test
  void shouldCombineSubscriptionsOnlyWhenThereAreMany() {
    for (int i = 1; i <= 100; i++) {
      log.record("t", "c", new Subscribed("f/" + i, 1));
    }
    assertThat(messages("c"))
        .hasSize(10)
        .startsWith("Subscribed to f/1 with QoS 1")
        .endsWith("Subscribed to 91 filters with QoS 1, last f/100");
  }

  @Test
  void shouldFindTheClientsOfAllTenantsOnlyWithoutATenant() {
    log.record("t", "c", connected());
    log.record("u", "c", connected());
    log.recordUnconnected(null, "c", refused("1"));
    assertThat(log.find("u", "c")).extracting(RecordedEvent::tenant).containsExactly("u");
    assertThat(log.find(null, "c"))
        .extracting(RecordedEvent::tenant)
        .containsExactlyInAnyOrder("t", "u", null);
  }

  @Test
  void shouldLeaveTheConnectEventToTheConnectionOfAClientWithoutOtherEvents() {
    connect(log, "c");
    assertThat(log.size()).isZero();
    assertThat(log.bytes()).isZero();
    RecordedEvent event = new RecordedEvent("t", 1_000, 1_000, 1, connected());
    now = 2_000;
    assertThat(log.find("t", "c")).containsExactly(event);
    assertThat(log.find(null, "c")).containsExactly(event);
    assertThat(log.find("s", "c")).isEmpty();
    log.record("t", "c", new Subscribed("a/b", 1));
    assertThat(log.find("t", "c")).hasSize(2).first().isEqualTo(event);
    assertThat(types("c")).containsExactly("connected", "subscribed");
    assertThat(log.size()).isEqualTo(1);
  }

  @Test
  void shouldRecordTheConnectEventBeforeAnyOtherEvent() {
    connect(log, "dropped");
    log.recordIfKnown("t", "dropped", dropped("x"));
    assertThat(types("dropped")).containsExactly("connected", "dropped");
    connect(log, "expired");
    log.recordUnconnected("t", "expired", new SessionExpired());
    assertThat(types("expired")).containsExactly("connected", "session_expired");
    final Connection first = connect(log, "taken-over");
    connections.put("taken-over", new Connection()); // the next connection, which is not open yet
    log.record("t", "taken-over", first, new TakenOver("", "", "CONNECT"));
    assertThat(types("taken-over")).containsExactly("connected", "taken_over");
  }

  @Test
  void shouldRecordTheConnectEventOfAClientWithEarlierEvents() {
    Connection first = connect(log, "c");
    log.record("t", "c", first, new Disconnected("connection_lost", 0x80, "", "CONNECT"));
    Connection second = connect(log, "c");
    assertThat(second.keptAtMillis()).isEqualTo(ConnectEvent.NONE);
    assertThat(types("c")).containsExactly("connected", "disconnected", "connected");
  }

  @Test
  void shouldForgetTheClientSeenLongestAgo() {
    ClientEventLog small = log(4, 32 * MIB);
    for (String id : List.of("a", "b", "c", "a", "d")) {
      small.record("t", id, connected());
    }
    assertThat(small.find("t", "b")).isEmpty();
    assertThat(small.find("t", "a")).hasSize(2);
    assertThat(small.size()).isEqualTo(3);
  }

  @Test
  void shouldKeepConnectedClientsWhenOthersAreRefused() {
    ClientEventLog small = log(100, 32 * MIB);
    small.record("t", "c", connected());
    IntStream.range(0, 10_000).forEach(i -> small.recordUnconnected(null, "x" + i, refused("1")));
    assertThat(small.find("t", "c")).hasSize(1);
    assertThat(small.size()).isEqualTo(26);
  }

  @Test
  void shouldKeepTheEarlierEventsOfAClientThatConnects() {
    log.recordUnconnected("t", "c", new SessionExpired());
    log.record("t", "c", connected());
    log.recordUnconnected("t", "c", new WillPublished("w", true));
    assertThat(log.find("t", "c"))
        .extracting(event -> event.event().type())
        .containsExactly("session_expired", "connected", "will_published");
    assertThat(log.size()).isEqualTo(1);
  }

  @Test
  void shouldNotCreateOrRefreshAClientThatIsOnlyMentioned() {
    ClientEventLog small = log(4, 32 * MIB);
    small.record("t", "a", connected());
    small.record("t", "b", connected());
    small.recordIfKnown("t", "a", dropped("x"));
    small.recordIfKnown("t", "unknown", dropped("x"));
    assertThat(small.find("t", "a")).hasSize(2);
    assertThat(small.find("t", "unknown")).isEmpty();
    small.record("t", "c", connected());
    small.record("t", "d", connected());
    assertThat(small.find("t", "a")).isEmpty();
  }

  @Test
  void shouldStayWithinItsMemory() {
    ClientEventLog small = log(10_000, MIB);
    String topic = "t".repeat(10_000);
    for (int i = 0; i < 5_000; i++) {
      for (int event = 0; event < 3; event++) {
        small.record("t", "c" + i, new WillPublished(event + topic, true));
      }
    }
    assertThat(small.bytes()).isBetween(MIB / 3, MIB);
    assertThat(small.size()).isBetween(200, 2_000);
    assertThat(small.find("t", "c4999")).hasSize(3);
  }

  @Test
  void shouldUseAFewHundredBytesForAClientWithFewEvents() {
    log.record("t", "client-1", connected());
    log.record("t", "client-1", new Subscribed("a/b", 1));
    assertThat(log.bytes()).isLessThan(800);
  }

  @Test
  void shouldRecordNothingForZeroClients() {
    ClientEventLog off = log(0, MIB);
    off.record("t", "c", connected());
    off.recordUnconnected(null, "c", refused("1"));
    off.recordIfKnown("t", "c", dropped("x"));
    assertThat(connect(off, "c").keptAtMillis()).isEqualTo(ConnectEvent.NONE);
    assertThat(off.find(null, "c")).isEmpty();
    assertThat(off.size()).isZero();
  }

  @Test
  void shouldRejectInvalidLimits() {
    assertThatThrownBy(() -> new EventsSettings(-1, MIB)).hasMessageStartingWith("maxClients");
    assertThatThrownBy(() -> new EventsSettings(1, 1)).hasMessageStartingWith("maxBytes");
  }

  @Test
  void shouldCountEveryEventOfSeveralThreads() throws Exception {
    int threads = 4;
    int each = 5_000;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    for (int i = 0; i < threads; i++) {
      pool.execute(
          () -> {
            for (int event = 0; event < each; event++) {
              log.record("t", "c" + event % 3, dropped("a"));
            }
          });
    }
    pool.shutdown();
    assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    long total = IntStream.range(0, 3).mapToLong(i -> log.find("t", "c" + i).get(0).count()).sum();
    assertThat(total).isEqualTo((long) threads * each);
  }
}
