package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.broker.events.ClientEventLog;
import io.fjordmq.broker.limits.ConnectionLimits;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.net.ListenerSettings;
import io.fjordmq.broker.net.OpenListener;
import io.fjordmq.broker.net.OpenListener.RawConnection;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.testing.Await;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The limits that connections of a user, an address or a tenant share. */
@ExtendWith(LeakDetector.class)
class SharedLimitsTest {
  /** The limits that this class reaches. */
  static final Set<Limit> LIMITS =
      Set.of(
          Limit.TENANT_PUBLISH_RATE,
          Limit.USER_CONNECTIONS,
          Limit.USER_CONNECTION_RATE,
          Limit.USER_PUBLISH_RATE,
          Limit.ADDRESS_CONNECTIONS,
          Limit.ADDRESS_CONNECTION_RATE,
          Limit.ADDRESS_PUBLISH_RATE);

  /** The first character of the client identifier is the user. */
  private static Security users() {
    Authenticator authenticator =
        attempt -> Authentication.allow(attempt.clientId().substring(0, 1)).now();
    return TestSecurity.of(authenticator);
  }

  private static TenantLimits userLimits(ConnectionLimits user) {
    return new TenantLimits(
        SessionSettings.defaults(), TenantSettings.DEFAULTS, user, InboxLimits.DEFAULT);
  }

  private static World worldWithUserLimits(ConnectionLimits user) {
    return new World(userLimits(user), Map.of(), users());
  }

  private static TestClient connect(World world, String clientId) {
    TestClient client = world.open().decodeMqtt5().connect5(clientId, true, 0);
    client.expect("CONNACK 0");
    return client;
  }

  @Test
  void shouldLimitTheConnectionsOfAUser() {
    try (World world = worldWithUserLimits(new ConnectionLimits(2, 0, 0))) {
      TestClient first = connect(world, "a1");
      connect(world, "a2");
      connect(world, "b1");
      world.open().decodeMqtt5().connect5("a3", true, 0).expect("CONNACK 97");
      assertThat(world.observer.limits).containsOnly(Map.entry("user_connections", 1));
      assertThat(history(world, "a3")).contains("userConfig.maxConnections reached");

      connect(world, "a2"); // replaces its own connection
      first.channel().close();
      world.settle();
      connect(world, "a3");
    }
  }

  @Test
  void shouldCountAConnectionThatTakesOverTheClientIdentifierOfAnotherUser() {
    Authenticator byUserName =
        attempt -> Authentication.allow(String.valueOf(attempt.userName())).now();
    try (World world =
        new World(
            userLimits(new ConnectionLimits(1, 0, 0)), Map.of(), TestSecurity.of(byUserName))) {
      connectAs(world, "alice", "a").expect("CONNACK 0");
      connectAs(world, "mallory", "m").expect("CONNACK 0");
      connectAs(world, "mallory", "a").expect("CONNACK 97");
      connectAs(world, "mallory", "m").expect("CONNACK 0");
    }
  }

  private static TestClient connectAs(World world, String user, String clientId) {
    return world
        .open()
        .decodeMqtt5()
        .connect(
            to ->
                to.protocolVersion(MqttVersion.MQTT_5)
                    .clientId(clientId)
                    .cleanSession(true)
                    .hasUser(true)
                    .username(user)
                    .hasPassword(true)
                    .password(new byte[] {1}));
  }

  private static String history(World world, String clientId) {
    ClientEventLog log = world.history;
    return log.find(null, clientId).toString();
  }

  @Test
  void shouldDelayAndThenRefuseConnectionsAboveTheRateOfAUser() {
    try (World world = worldWithUserLimits(new ConnectionLimits(0, 1, 0))) {
      connect(world, "a0");
      // Five more get a turn, one per second.
      List<TestClient> waiting =
          java.util.stream.IntStream.rangeClosed(1, 5)
              .mapToObj(i -> world.open().decodeMqtt5().connect5("a" + i, true, 0))
              .toList();
      waiting.forEach(client -> assertThat(client.readAll()).isEmpty());
      world.open().decodeMqtt5().connect5("a6", true, 0).expect("CONNACK 9f");
      assertThat(world.observer.limits).containsOnly(Map.entry("user_connection_rate", 1));
      connect(world, "b0"); // other users do not wait
      for (TestClient client : waiting) {
        client.advance(6);
        client.expect("CONNACK 0");
      }
    }
  }

  @Test
  void shouldThrottleThePublishesOfAUserOnAllConnectionsTogether() {
    try (World world = worldWithUserLimits(new ConnectionLimits(0, 0, 3))) {
      assertSharedRate(world, Limit.USER_PUBLISH_RATE, "a1", "a2");
      TestClient other = connect(world, "b1");
      other.publish(0, 0, "t", "x").publish(0, 0, "t", "x").publish(0, 0, "t", "x");
      assertThat(isReading(other)).isTrue();
    }
  }

  @Test
  void shouldThrottleThePublishesOfATenant() {
    TenantSettings tenant = Settings.with(TenantSettings.DEFAULTS, "publishesPerSecond", 3);
    TenantLimits limits = new TenantLimits(SessionSettings.defaults(), tenant, InboxLimits.DEFAULT);
    try (World world = new World(limits, Map.of(), users())) {
      assertSharedRate(world, Limit.TENANT_PUBLISH_RATE, "a1", "b1");
    }
  }

  private static boolean isReading(TestClient client) {
    return client.channel().config().isAutoRead();
  }

  private static void assertSharedRate(World world, Limit limit, String one, String other) {
    TestClient first = connect(world, one);
    TestClient second = connect(world, other);
    first.publish(0, 0, "t", "x").publish(0, 0, "t", "x");
    second.publish(0, 0, "t", "x");
    assertThat(isReading(first)).isTrue();
    assertThat(isReading(second)).isTrue();
    second.publish(0, 0, "t", "x"); // the fourth publish of this second
    assertThat(isReading(second)).isFalse();
    assertThat(isReading(first)).isTrue();
    first.publish(0, 0, "t", "x");
    assertThat(isReading(first)).isFalse();
    assertThat(world.observer.limits).containsOnly(Map.entry(limit.label(), 2));

    world.advanceClock(1);
    first.advance(1);
    second.advance(1);
    assertThat(isReading(first)).isTrue();
    assertThat(isReading(second)).isTrue();
    assertThat(world.observer.dropped).isEmpty();
  }

  @Test
  void shouldApplyChangedLimitsToConnectedClients() {
    try (World world = worldWithUserLimits(ConnectionLimits.NONE)) {
      TestClient first = connect(world, "a1");
      world.tenants.replace(
          userLimits(new ConnectionLimits(1, 0, 1)), Map.of(), ConnectionLimits.NONE);
      world.sessions.applyLimits();
      world.settle();
      first.publish(0, 0, "t", "x").publish(0, 0, "t", "x");
      assertThat(isReading(first)).isFalse();
      world.open().decodeMqtt5().connect5("a2", true, 0).expect("CONNACK 97");

      world.tenants.replace(userLimits(ConnectionLimits.NONE), Map.of(), ConnectionLimits.NONE);
      world.sessions.applyLimits();
      world.settle();
      first.advance(1);
      assertThat(isReading(first)).isTrue();
      connect(world, "a2");
    }
  }

  private static OpenListener open(ConnectionLimits address) {
    OpenListener listener = new OpenListener(ListenerSettings.tcp("127.0.0.1", 0));
    listener.world.tenants.replace(userLimits(ConnectionLimits.NONE), Map.of(), address);
    return listener;
  }

  private static String connect(RawConnection connection, char clientId) throws Exception {
    // MQTT 5 without properties, with a client identifier of one character.
    connection.send("10 0e 0004 4d515454 05 02 003c 00 0001 " + Integer.toHexString(clientId));
    return connection.read().substring(6, 8); // the reason code
  }

  @Test
  void shouldLimitTheConnectionsOfAnAddress() throws Exception {
    try (OpenListener listener = open(new ConnectionLimits(1, 0, 0))) {
      try (RawConnection first = listener.connect();
          RawConnection second = listener.connect()) {
        assertThat(connect(first, 'a')).isEqualTo("00");
        assertThat(connect(second, 'b')).isEqualTo("97");
        assertThat(listener.world.observer.limits)
            .containsOnly(Map.entry("address_connections", 1));
      }
      Await.until("the address is forgotten", () -> listener.world.tenants.addresses().size() == 0);
      try (RawConnection third = listener.connect()) {
        assertThat(connect(third, 'c')).isEqualTo("00");
      }
    }
  }

  @Test
  void shouldRefuseConnectionsFarAboveTheRateOfAnAddress() throws Exception {
    try (OpenListener listener = open(new ConnectionLimits(0, 1, 0));
        RawConnection first = listener.connect()) {
      assertThat(connect(first, 'a')).isEqualTo("00");
      // The clock of this test stands still, so turns are only given and never become due.
      for (int i = 0; i < 5; i++) {
        listener.connect().send("10 0e 0004 4d515454 05 02 003c 00 0001 6" + (i + 2));
      }
      Await.until(
          "five connections wait",
          () -> {
            try (RawConnection next = listener.connect()) {
              return connect(next, 'z').equals("9f");
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          });
      listener.awaitRefused(CloseReason.CONNECTION_RATE_EXCEEDED, 1);
      assertThat(listener.world.observer.limits).containsKey("address_connection_rate");
    }
  }

  @Test
  void shouldThrottleThePublishesOfAnAddress() throws Exception {
    try (OpenListener listener = open(new ConnectionLimits(0, 0, 1));
        RawConnection publisher = listener.connect()) {
      assertThat(connect(publisher, 'a')).isEqualTo("00");
      publisher.send("30 04 0001 74 00 30 04 0001 74 00");
      Await.until(
          "the publisher is throttled",
          () -> listener.world.observer.limits.containsKey("address_publish_rate"));
    }
  }
}
