package io.fjordmq.broker.session;

import static io.fjordmq.inbox.InboxLimits.WhenFull.REFUSE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.http.MetricsFormat;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.ops.BrokerMetrics;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.CountingSessionObserver;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.inbox.InboxLimits;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every limit is reached once; checks what the client receives and that the metrics count it. The
 * cases cover all of {@link Limit}, except those of retained messages, which need their store, and
 * those that {@link SharedLimitsTest} reaches.
 */
@ExtendWith(LeakDetector.class)
class LimitsTest {
  private static final String NOT_READ = "not read";

  /** A limit, its value, and a function that reaches it and returns what the client received. */
  private record Case(
      Limit limit,
      Object value,
      Function<World, List<String>> reachLimit,
      String... expectedPackets) {
    @Override
    public String toString() {
      return limit.key() + " = " + value;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case(Limit.CONNECTIONS, 1, LimitsTest::connectTwice, "CONNACK 97"),
        new Case(Limit.CONNECTION_RATE, 1, LimitsTest::connectTwice, "CONNACK 9f"),
        new Case(
            Limit.PACKET_BYTES,
            1_024,
            world -> connectClient(world).publish(0, 0, "a", "x".repeat(1_024)).readAll(),
            "DISCONNECT 95"),
        new Case(
            Limit.PAYLOAD_BYTES,
            10,
            world ->
                connectClient(world)
                    .publish(1, 1, "a", "x".repeat(11))
                    .publish(2, 1, "a", "x")
                    .readAll(),
            "PUBACK 1 97",
            "PUBACK 2 10"),
        new Case(
            Limit.CLIENT_ID_BYTES,
            23,
            world -> world.open().decodeMqtt5().connect5("x".repeat(24), true, 0).readAll(),
            "CONNACK 85"),
        new Case(
            Limit.TOPIC_BYTES,
            5,
            world -> connectClient(world).publish(1, 1, "123456", "x").readAll(),
            "DISCONNECT 90"),
        new Case(
            Limit.TOPIC_LEVELS,
            2,
            world -> connectClient(world).subscribe(1, "a/b/c", 1).subscribe(2, "a/b", 1).readAll(),
            "SUBACK 1 [143]",
            "SUBACK 2 [1]"),
        new Case(
            Limit.READ_RATE,
            1_000,
            world ->
                expectThrottled(world, connectClient(world).publish(1, 1, "a", "x".repeat(1_100))),
            "PUBACK 1 10",
            NOT_READ),
        new Case(
            Limit.PUBLISH_RATE,
            2,
            world ->
                expectThrottled(
                    world,
                    connectClient(world)
                        .publish(1, 1, "a", "x")
                        .publish(2, 1, "a", "x")
                        .publish(3, 1, "a", "x")),
            "PUBACK 1 10",
            "PUBACK 2 10",
            "PUBACK 3 10",
            NOT_READ),
        new Case(Limit.WRITE_RATE, 1_000, LimitsTest::receiveThree, "PUBLISH", "PUBLISH", "later"),
        new Case(
            Limit.RECEIVE_MAXIMUM,
            1,
            world -> connectClient(world).publish(1, 2, "a", "x").publish(2, 2, "a", "x").readAll(),
            "PUBREC 1 10",
            "DISCONNECT 93"),
        new Case(
            Limit.PENDING_PUBLISHES,
            1,
            world -> publishToBlockedStore(world, 10),
            NOT_READ,
            "PUBACK 1"),
        new Case(
            Limit.PENDING_BYTES,
            1_024,
            world -> publishToBlockedStore(world, 1_024),
            NOT_READ,
            "PUBACK 1"),
        new Case(Limit.PENDING_SUBSCRIBES, 1, LimitsTest::subscribeTwiceAtOnce, NOT_READ),
        new Case(
            Limit.SUBSCRIPTIONS,
            1,
            world -> connectClient(world).subscribe(1, "a", 0).subscribe(2, "b", 0).readAll(),
            "SUBACK 1 [0]",
            "SUBACK 2 [151]"),
        new Case(
            Limit.SUBSCRIPTION_BYTES,
            1_024,
            world ->
                connectClient(world)
                    .subscribe(1, "a".repeat(600), 0)
                    .subscribe(2, "b".repeat(600), 0)
                    .subscribe(3, "a".repeat(600), 1)
                    .subscribe(4, "b".repeat(1_024 - 600 - 2 * 16), 0)
                    .readAll(),
            "SUBACK 1 [0]",
            "SUBACK 2 [151]",
            "SUBACK 3 [1]",
            "SUBACK 4 [0]"),
        new Case(Limit.INFLIGHT, 1, world -> countReceived(world, 2, 1), "1 of 2"),
        new Case(Limit.QUEUED_MESSAGES, 1, world -> countReceived(world, 256 + 2, 1), "257 of 258"),
        new Case(
            Limit.QUEUED_BYTES, 1_024, world -> countReceived(world, 256 + 2, 600), "257 of 258"));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void shouldRespondToTheClientAndCountEachLimit(Case one) {
    try (BrokerMetrics metrics = new BrokerMetrics("1.2.3");
        World world = createWorld(limits(one))) {
      world.observer.metrics = metrics.sessions();
      assertThat(one.reachLimit.apply(world)).containsExactly(one.expectedPackets);
      // Nothing is queued before the window is full.
      assertThat(world.observer.limits.keySet())
          .contains(one.limit.label())
          .isSubsetOf(one.limit.label(), Limit.INFLIGHT.label());
      assertThat(metrics.scrape(MetricsFormat.PROMETHEUS).lines())
          .containsAll(expectedMetrics(one.limit, world.observer));
    }
  }

  /** Returns the expected metric lines for the limit. */
  private static List<String> expectedMetrics(Limit limit, CountingSessionObserver counted) {
    List<String> lines = new ArrayList<>();
    String label = limit.label();
    lines.add(
        "fjordmq_limits_reached_total{limit=\"%s\",tenant=\"\"} %d.0"
            .formatted(label, counted.limits.get(label)));
    counted.dropped.forEach(
        (reason, count) ->
            lines.add(
                "fjordmq_messages_dropped_total{at=\"session\",reason=\"%s\"} %d.0"
                    .formatted(reason.label(), count)));
    return lines;
  }

  @Test
  void shouldReachEveryLimit() {
    assertThat(cases().map(Case::limit).toList())
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Limit.values())
                .filter(limit -> !limit.name().startsWith("RETAINED"))
                .filter(limit -> !SharedLimitsTest.LIMITS.contains(limit))
                .toList());
  }

  private static TenantLimits limits(Case one) {
    String[] key = one.limit.key().split("\\.");
    SessionSettings session = SessionSettings.defaults();
    TenantSettings tenant = TenantSettings.DEFAULTS;
    return key[0].equals("tenantConfig")
        ? new TenantLimits(session, Settings.with(tenant, key[1], one.value), InboxLimits.DEFAULT)
        : new TenantLimits(Settings.with(session, key[1], one.value), tenant, InboxLimits.DEFAULT);
  }

  private static World createWorld(TenantLimits limits) {
    return new World(limits, Map.of(), Security.allowAll("t"));
  }

  /** Connects an MQTT 5 client. */
  private static TestClient connectClient(World world) {
    TestClient client = world.open().connect5("c", true, 0);
    client.expect("CONNACK 0");
    return client;
  }

  private static List<String> connectTwice(World world) {
    connectClient(world);
    TestClient second = world.open().decodeMqtt5().connect5("d", true, 0);
    assertThat(second.isOpen()).isFalse();
    return second.readAll();
  }

  /** Returns what the client receives, and asserts that reading pauses and resumes. */
  private static List<String> expectThrottled(World world, TestClient client) {
    List<String> received = client.readAll();
    assertThat(world.observer.heldBack).hasValue(1);
    assertThat(client.channel().config().isAutoRead()).isFalse();
    client.advance(2);
    assertThat(client.channel().config().isAutoRead()).isTrue();
    assertThat(world.observer.heldBack).hasValue(0);
    return append(received, NOT_READ);
  }

  private static List<String> append(List<String> list, String last) {
    return Stream.concat(list.stream(), Stream.of(last)).toList();
  }

  private static List<String> receiveThree(World world) {
    TestClient client = connectClient(world).subscribe(1, "a", 0);
    client.expect("SUBACK 1 [0]");
    TestClient publisher = world.open().connect5("p", true, 0);
    for (int i = 0; i < 3; i++) {
      publisher.publish(0, 0, "a", "x".repeat(600));
    }
    List<String> received = client.readAll().stream().map(packet -> packet.split(" ")[0]).toList();
    // The rate is 1,000 bytes/s and 1,200 bytes are sent, so writing pauses for under a second.
    client.advance(1);
    assertThat(client.readAll()).hasSize(1);
    assertThat(world.observer.dropped).isEmpty();
    return append(received, "later");
  }

  private static List<String> publishToBlockedStore(World world, int payload) {
    TestClient client = connectClient(world);
    world.tasks.hold();
    client.publish(1, 1, "a", "x".repeat(payload), true, false, MqttProperties.NO_PROPERTIES);
    assertThat(client.readAll()).isEmpty();
    assertThat(client.channel().config().isAutoRead()).isFalse();
    world.tasks.resume();
    world.settle();
    assertThat(client.channel().config().isAutoRead()).isTrue();
    return Stream.concat(Stream.of(NOT_READ), client.readAll().stream().map(p -> p.substring(0, 8)))
        .toList();
  }

  private static List<String> subscribeTwiceAtOnce(World world) {
    TestClient client = connectClient(world);
    world.tasks.hold();
    client.subscribe(1, "a", 0).subscribe(2, "b", 0);
    assertThat(client.channel().config().isAutoRead()).isFalse();
    world.tasks.resume();
    world.settle();
    client.expect("SUBACK 1 [0]", "SUBACK 2 [0]");
    assertThat(client.channel().config().isAutoRead()).isTrue();
    return List.of(NOT_READ);
  }

  /** Counts the messages received by a subscriber that acknowledges a full window at once. */
  private static List<String> countReceived(World world, int messages, int payload) {
    TestClient client = connectClient(world).subscribe(1, "a", 1);
    client.expect("SUBACK 1 [1]");
    TestClient publisher = world.open().connect5("p", true, 0);
    for (int i = 1; i <= messages; i++) {
      publisher.publish(i, 1, "a", "x".repeat(payload));
    }
    int seen = client.readAll().size();
    if (messages > 2) {
      // The window is full: what was queued follows the acknowledgements.
      for (int id = 1; id <= 256; id++) {
        client.reply(MqttMessageType.PUBACK, id);
      }
      seen += client.readAll().size();
      assertThat(world.observer.dropped).containsOnly(Map.entry(DropReason.QUEUE_FULL, 1L));
    }
    return List.of(seen + " of " + messages);
  }

  /** MQTT 3 has fewer codes: a CONNACK code, an acknowledgement, a closed connection. */
  @Test
  void shouldRespondToMqtt3WithTheCodesItSupports() {
    SessionSettings small = Settings.with("maxPayloadBytes", 10);
    TenantSettings one = Settings.with(TenantSettings.DEFAULTS, "maxConnections", 1);
    try (World world = createWorld(new TenantLimits(small, one, InboxLimits.DEFAULT))) {
      TestClient client = world.open().connect3("a", true);
      client.publish(0, 0, "a", "x".repeat(11)).publish(1, 1, "a", "x".repeat(11));
      client.publish(2, 2, "a", "x".repeat(11)).reply(MqttMessageType.PUBREL, 2);
      client.expect("CONNACK 0", "PUBACK 1", "PUBREC 2", "PUBCOMP 2");
      assertThat(world.observer.dropped).containsOnly(Map.entry(DropReason.PAYLOAD_TOO_LARGE, 3L));

      TestClient second = world.open().connect3("b", true);
      second.expect("CONNACK 3");
      assertThat(second.isOpen()).isFalse();
      assertThat(world.observer.limits)
          .containsOnly(Map.entry("payload_bytes", 3), Map.entry("connections", 1));
    }
  }

  @Test
  void shouldRefuseAQos2PublishInItsPubrecAndDiscardIt() {
    try (World world = new World(Settings.with("maxPayloadBytes", 10))) {
      TestClient client = connectClient(world).publish(7, 2, "a", "x".repeat(11));
      client.expect("PUBREC 7 97");
      client.publish(7, 2, "a", "x").reply(MqttMessageType.PUBREL, 7);
      client.expect("PUBREC 7 10", "PUBCOMP 7");
    }
  }

  @Test
  void shouldRefuseAWillThatCouldNotBePublished() {
    try (World world = new World(Settings.with("maxPayloadBytes", 10))) {
      TestClient client = world.open().decodeMqtt5();
      client.connect(
          to ->
              to.protocolVersion(MqttVersion.MQTT_5)
                  .clientId("c")
                  .willFlag(true)
                  .willTopic("w")
                  .willMessage(new byte[11]));
      client.expect("CONNACK 97");
    }
  }

  @Test
  void shouldAllowATakeoverAtTheConnectionLimit() {
    TenantSettings one = Settings.with(TenantSettings.DEFAULTS, "maxConnections", 1);
    try (World world =
        createWorld(new TenantLimits(SessionSettings.defaults(), one, InboxLimits.DEFAULT))) {
      TestClient first = connectClient(world);
      TestClient again = world.open().connect5("c", true, 0);
      first.expect("DISCONNECT 8e");
      again.expect("CONNACK 0");
      world.open().decodeMqtt5().connect5("d", true, 0).expect("CONNACK 97");
      again.disconnect();
      world.open().connect5("d", true, 0).expect("CONNACK 0");
    }
  }

  @Test
  void shouldAcceptConnectionsAgainAfterASecond() {
    TenantSettings two = Settings.with(TenantSettings.DEFAULTS, "connectionsPerSecond", 2);
    try (World world =
        createWorld(new TenantLimits(SessionSettings.defaults(), two, InboxLimits.DEFAULT))) {
      world.open().connect5("a", true, 0).expect("CONNACK 0");
      world.open().connect5("b", true, 0).expect("CONNACK 0");
      world.open().decodeMqtt5().connect5("c", true, 0).expect("CONNACK 9f");
      world.advanceClock(1);
      world.open().connect5("c", true, 0).expect("CONNACK 0");
    }
  }

  @Test
  void shouldApplyEachTenantsOwnLimits() {
    SessionSettings session = Settings.with("maxPacketBytes", 2_000);
    session = Settings.with(session, "maxKeepAliveSeconds", 7);
    session = Settings.with(session, "maxSessionExpirySeconds", 9L);
    TenantLimits own =
        new TenantLimits(session, TenantSettings.DEFAULTS, new InboxLimits(5, 10_000, REFUSE));
    Authenticator byUserName =
        attempt ->
            new Authentication.Allow(
                    new Identity(
                        Objects.requireNonNullElse(attempt.userName(), ""), null, null, Map.of()))
                .now();
    try (World world =
        new World(TenantLimits.defaults(), Map.of("acme", own), TestSecurity.of(byUserName))) {
      TestClient small = world.open();
      MqttProperties expiry = new MqttProperties();
      expiry.add(new IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, 3_600));
      small.connect(
          to ->
              to.protocolVersion(MqttVersion.MQTT_5)
                  .clientId("c")
                  .username("acme")
                  .keepAlive(60)
                  .properties(expiry));
      small.expect("CONNACK 0");
      assertThat(small.property(MqttProperties.MAXIMUM_PACKET_SIZE)).isEqualTo(2_000);
      assertThat(small.property(MqttProperties.SERVER_KEEP_ALIVE)).isEqualTo(7);
      assertThat(small.property(MqttProperties.SESSION_EXPIRY_INTERVAL)).isEqualTo(9);
      assertThat(world.inboxes.limitsOf("acme", "c")).isEqualTo(own.inbox());
      small.publish(1, 1, "a", "x".repeat(2_000)).expect("DISCONNECT 95");
      assertThat(world.observer.limits).containsOnly(Map.entry("packet_bytes acme", 1));

      TestClient other = connectClient(world).publish(1, 1, "a", "x".repeat(2_000));
      other.expect("PUBACK 1 10");
      assertThat(other.isOpen()).isTrue();
    }
  }
}
