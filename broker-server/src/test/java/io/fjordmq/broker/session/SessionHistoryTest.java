package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import io.fjordmq.broker.events.RecordedEvent;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.SecurityObserver;
import io.fjordmq.broker.security.SecuritySettings;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.testing.RecordBuilder;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What sessions record about their clients: each event answers "why?" by itself. */
@ExtendWith(LeakDetector.class)
class SessionHistoryTest {
  private static final MqttMessage PINGREQ =
      new MqttMessage(
          new MqttFixedHeader(MqttMessageType.PINGREQ, false, MqttQoS.AT_MOST_ONCE, false, 0));

  private static List<String> why(World world, String clientId) {
    return world.history.find(null, clientId).stream().map(RecordedEvent::message).toList();
  }

  private static TestClient connect(World world, String clientId) {
    TestClient client = world.open().connect5(clientId, true, 0);
    client.expect("CONNACK 0");
    return client;
  }

  @Test
  void shouldRecordAConnectionFromBeginningToEnd() {
    try (World world = new World()) {
      TestClient client = connect(world, "c");
      client.subscribe(1, "a/b", 1).readAll();
      client.publish(0, 0, "x", "y").disconnect();
      assertThat(why(world, "c"))
          .containsExactly(
              "Connected from embedded to tcpListener with MQTT 5; the session is new",
              "Subscribed to a/b with QoS 1",
              "Disconnected: the client sent DISCONNECT");
    }
  }

  @Test
  void shouldRecordALostConnectionWithTheLastPacket() {
    try (World world = new World()) {
      connect(world, "c").send(PINGREQ).cut();
      assertThat(why(world, "c"))
          .endsWith(
              "Connection lost: the connection was closed without a DISCONNECT; last packet"
                  + " PINGREQ");
    }
  }

  @Test
  void shouldRecordAnExpiredKeepAlive() {
    try (World world = new World()) {
      TestClient client = world.connectWithKeepAlive(60);
      client.send(PINGREQ).advance(100);
      assertThat(why(world, "k"))
          .endsWith(
              "Disconnected: keep alive expired after 90 s (keep alive 60 s); last packet PINGREQ");
      world.connectWithKeepAlive(5).advance(20);
      assertThat(why(world, "k"))
          .endsWith(
              "Disconnected: keep alive expired after 7.5 s (keep alive 5 s); last packet CONNECT");
    }
  }

  @Test
  void shouldRecordATakeoverByAnotherConnection() {
    try (World world = new World()) {
      connect(world, "c");
      connect(world, "c");
      assertThat(why(world, "c"))
          .anyMatch(
              line ->
                  line.startsWith(
                      "Disconnected: session taken over (0x8E) by a connection from embedded on"
                          + " node n1"));
    }
  }

  @Test
  void shouldRecordProtocolErrors() {
    try (World world = new World()) {
      connect(world, "c").connect5("c", true, 0);
      assertThat(why(world, "c"))
          .endsWith(
              "Disconnected: protocol error (0x82); a client must not send a second CONNECT; last"
                  + " packet CONNECT");
    }
  }

  @Test
  void shouldRecordDeniedLoginsWithTheProvider() {
    Authenticator denying =
        attempt -> new Authentication.Deny(DenyReason.NOT_AUTHORIZED, "blocked").now();
    try (World world = new World(SessionSettings.defaults(), TestSecurity.of(denying))) {
      for (int i = 0; i < 3; i++) {
        world
            .open()
            .connect(
                to ->
                    to.protocolVersion(MqttVersion.MQTT_5)
                        .clientId("c")
                        .cleanSession(true)
                        .username("meter7"));
      }
      assertThat(why(world, "c"))
          .containsExactly(
              "Refused CONNECT 3 times, last from embedded: not authorized (0x87); user 'meter7' is"
                  + " denied by the test: blocked");
      assertThat(world.history.find("t", "c")).isEmpty(); // the tenant is unknown
    }
  }

  @Test
  void shouldRecordRefusalsByTheNode() {
    try (World world = new World()) {
      world.overloaded = true;
      world.open().connect5("c", true, 0);
      assertThat(why(world, "c"))
          .containsExactly(
              "Refused CONNECT from embedded: server busy (0x89); the server is overloaded");
    }
  }

  @Test
  void shouldRecordDenialsWithTheLineOfTheFile(@TempDir Path folder) throws Exception {
    Path acl =
        Files.writeString(
            folder.resolve("acl"),
            "# rules\nuser u\ntopic deny secret/#\ntopic readwrite #\n",
            StandardCharsets.UTF_8);
    SecuritySettings settings =
        RecordBuilder.from(SecuritySettings.DEFAULTS)
            .with(SecuritySettings::aclFile, acl.toString())
            .build();
    Authenticator user =
        attempt -> new Authentication.Allow(new Identity("t", "u", null, Map.of())).now();
    try (Security security = TestSecurity.of(settings, SecurityObserver.NONE, user);
        World world = new World(SessionSettings.defaults(), security)) {
      TestClient client = connect(world, "c");
      client
          .subscribe(1, "secret/a", 1)
          .publish(2, 1, "secret/b", "x")
          .publish(0, 0, "secret/b", "x");
      String line =
          "the client is denied by securityConfig.aclFile: " + acl + ":3: topic deny secret/#";
      assertThat(why(world, "c"))
          .endsWith(
              "Refused SUBSCRIBE to secret/a: not authorized (0x87); " + line,
              "Denied 2 PUBLISH packets to secret/b: " + line);
    }
  }

  @Test
  void shouldRecordDenialsByPermissions() {
    Authenticator limited =
        attempt ->
            new Authentication.Allow(
                    new Identity(
                        "t",
                        "u",
                        new Permissions(List.of(Rule.allow(Access.WRITE, "in/#"))),
                        Map.of()))
                .now();
    try (World world = new World(SessionSettings.defaults(), TestSecurity.of(limited))) {
      connect(world, "c").publish(1, 1, "else", "x").subscribe(2, "else", 0);
      assertThat(why(world, "c"))
          .endsWith(
              "Denied PUBLISH to else: no rule allows it",
              "Refused SUBSCRIBE to else: not authorized (0x87); no rule allows it");
    }
  }

  @Test
  void shouldRecordDropsWithTheLimit() {
    SessionSettings few =
        Settings.with(Settings.with("maxQueuedMessages", 2), "writeBytesPerSecond", 0);
    try (World world = new World(Settings.with(few, "dropOldest", true))) {
      TestClient slow = world.open().connect5("slow", true, 0);
      slow.readAll();
      slow.subscribe(1, "a", 0).readAll();
      slow.stopReading();
      TestClient publisher = connect(world, "p");
      String large = "x".repeat(60_000);
      for (int i = 0; i < 40; i++) {
        publisher.publish(0, 0, "a", large);
      }
      assertThat(why(world, "slow"))
          .last()
          .asString()
          .matches(
              "Dropped \\d+ messages on topic a: the client reads too slowly and its queue is full"
                  + " \\(sessionConfig\\.maxQueuedMessages=2\\)");
      slow.readAgain();
    }
  }

  @Test
  void shouldRecordRefusedPublishes() {
    try (World world = new World(Settings.with("maxPayloadBytes", 10))) {
      connect(world, "c").publish(1, 1, "a", "x".repeat(11)).publish(0, 0, "a", "x".repeat(11));
      assertThat(why(world, "c"))
          .endsWith(
              "Dropped 2 messages from the client on topic a: the payload is too large"
                  + " (sessionConfig.maxPayloadBytes=10)");
    }
  }

  @Test
  void shouldRecordLimitsOfSubscriptions() {
    try (World world = new World(Settings.with("maxSubscriptions", 1))) {
      connect(world, "c").subscribe(1, "a", 0).subscribe(2, "b", 0);
      assertThat(why(world, "c"))
          .endsWith(
              "Subscribed to a with QoS 0",
              "Refused SUBSCRIBE to b: quota exceeded (0x97); limit reached"
                  + " (sessionConfig.maxSubscriptions=1)");
    }
  }

  @Test
  void shouldRecordThrottling() {
    try (World world = new World(Settings.with("publishesPerSecond", 1))) {
      TestClient client = connect(world, "c");
      client.publish(0, 0, "a", "1").publish(0, 0, "a", "2");
      client.advance(5);
      assertThat(why(world, "c"))
          .contains(
              "Throttled: reading from the client paused because a rate limit was reached"
                  + " (sessionConfig.publishesPerSecond=1)",
              "Throttling ended: reading from the client resumed"
                  + " (sessionConfig.publishesPerSecond)");
    }
  }

  @Test
  void shouldRecordThatQos0MessagesAreNotQueued() {
    try (World world = new World()) {
      TestClient client = world.open().connect5("off", false, 1_000);
      client.readAll();
      client.subscribe(1, "a", 0).readAll();
      client.disconnect();
      connect(world, "p").publish(0, 0, "a", "x");
      assertThat(why(world, "off"))
          .endsWith(
              "Dropped a message on topic a: QoS 0 messages are not queued while the client is"
                  + " offline");
    }
  }
}
