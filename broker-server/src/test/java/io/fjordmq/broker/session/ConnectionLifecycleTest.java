package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keep alive, wills, takeover of transient sessions, clients that do not read. */
@ExtendWith(LeakDetector.class)
class ConnectionLifecycleTest {
  private final World world = new World();

  @AfterEach
  void closeWorld() {
    world.close();
    assertThat(world.observer.heldBack).hasValue(0);
    assertThat(world.observer.queued).hasValue(0);
    assertThat(world.sessions.size()).isZero();
  }

  private TestClient connectWithWill(String id) {
    return world.open().connect(connectOptions(id));
  }

  private static Consumer<MqttMessageBuilders.ConnectBuilder> connectOptions(String id) {
    return to ->
        to.protocolVersion(MqttVersion.MQTT_3_1_1)
            .clientId(id)
            .cleanSession(true)
            .willFlag(true)
            .willTopic("will")
            .willMessage("gone".getBytes(StandardCharsets.UTF_8));
  }

  private TestClient connectListener() {
    TestClient client = world.open().connect3("listener", true).subscribe(1, "#", 0);
    client.readAll();
    return client;
  }

  @Test
  void shouldCloseASilentConnectionAfterOneAndAHalfKeepAlives() {
    TestClient client = world.connectWithKeepAlive(10);
    client.advance(14);
    assertThat(client.isOpen()).isTrue();
    client.advance(3);
    client.expect("DISCONNECT 8d");
    assertThat(client.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsEntry(CloseReason.KEEP_ALIVE_TIMEOUT, 1);
  }

  @Test
  void shouldKeepAConnectionThatPings() {
    TestClient client = world.connectWithKeepAlive(10);
    for (int i = 0; i < 10; i++) {
      client.advance(9).sendHex("c000").expect("PINGRESP");
    }
  }

  @Test
  void shouldNotCountPartialPacketsForTheKeepAlive() {
    TestClient client = world.connectWithKeepAlive(10);
    client.advance(10).sendHex("30").advance(7);
    assertThat(client.isOpen()).isFalse();
  }

  /** Expired timers run before anything is read, as after a long garbage collection. */
  @Test
  void shouldNotTreatAStalledEventLoopAsClientSilence() {
    TestClient client = world.connectWithKeepAlive(10);
    client.channel().advanceTimeBy(60, TimeUnit.SECONDS);
    client.channel().runScheduledPendingTasks();
    world.settle();
    assertThat(client.isOpen()).isTrue();
    client.sendHex("c000").expect("PINGRESP");
    client.advance(14);
    assertThat(client.isOpen()).isTrue();
    client.advance(3);
    assertThat(client.isOpen()).isFalse();
  }

  @Test
  void shouldNotTimeOutAClientWithoutKeepAlive() {
    TestClient client = world.connectWithKeepAlive(0).advance(100_000);
    assertThat(client.isOpen()).isTrue();
  }

  @Test
  void shouldSendTheServerKeepAlive() {
    SessionSettings imposed = Settings.with("defaultKeepAliveSeconds", 30);
    try (World strict = new World(imposed)) {
      TestClient none =
          strict
              .open()
              .connect(
                  to ->
                      to.protocolVersion(MqttVersion.MQTT_5)
                          .clientId("n")
                          .cleanSession(true)
                          .keepAlive(0));
      none.next();
      assertThat(none.property(MqttProperties.SERVER_KEEP_ALIVE)).isEqualTo(30);
    }
  }

  @Test
  void shouldPublishTheWillWhenTheConnectionIsLost() {
    TestClient listener = connectListener();
    connectWithWill("w").cut();
    listener.expect("PUBLISH q0 will gone");
  }

  @Test
  void shouldPublishTheWillAfterAProtocolError() {
    TestClient listener = connectListener();
    connectWithWill("w").sendHex("30 ffffffff01");
    listener.expect("PUBLISH q0 will gone");
  }

  @Test
  void shouldDiscardTheWillAtANormalDisconnect() {
    TestClient listener = connectListener();
    connectWithWill("w").disconnect();
    listener.expect();
    assertThat(world.observer.disconnected).containsEntry(CloseReason.CLIENT_DISCONNECT, 1);
  }

  @Test
  void shouldPublishTheWillWhenAnMqtt5DisconnectRequestsIt() {
    TestClient listener = connectListener();
    TestClient client =
        world
            .open()
            .connect(
                to ->
                    to.protocolVersion(MqttVersion.MQTT_5)
                        .clientId("w")
                        .cleanSession(true)
                        .willFlag(true)
                        .willTopic("will")
                        .willMessage("gone".getBytes(StandardCharsets.UTF_8)));
    client.sendHex("e002 04 00");
    listener.expect("PUBLISH q0 will gone");
    assertThat(client.isOpen()).isFalse();
  }

  /** A client's earlier attempt at another node may be processed only now. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldCloseTheConnectionIfTheInboxIsTakenOverBeforeTheAttachCompletes(boolean persistent) {
    TestClient client = world.open();
    world.inboxes.beforeAttachResponse =
        () -> {
          world.inboxes.takeOverElsewhere("w");
          client.runTasks();
        };
    if (persistent) {
      client.connect3("w", false);
    } else {
      client.connect(connectOptions("w"));
    }
    assertThat(client.readAll()).noneMatch(packet -> packet.startsWith("CONNACK 0"));
    assertThat(client.isOpen()).isFalse();
    assertThat(world.registry.size()).isZero();
  }

  @Test
  void shouldKeepTheNewestOfManyConnectionsWithTheSameClientId() {
    world.tasks.hold();
    TestClient one = world.open().connect3("c", false);
    TestClient two = world.open().connect3("c", false);
    TestClient three = world.open().connect3("c", false);
    world.tasks.resume();
    world.settle();
    assertThat(one.isOpen()).isFalse();
    assertThat(two.isOpen()).isFalse();
    three.expect("CONNACK 0 present");
    assertThat(world.registry.size()).isOne();
    assertThat(world.inboxes.get("c").attached).isTrue();
  }

  @Test
  void shouldProcessPacketsReceivedWithTheConnect() {
    TestClient listener = connectListener();
    TestClient client =
        world.open().sendHex("100d 0004 4d515454 04 02 003c 0001 61" + "3004 0001 74 78" + "c000");
    client.expect("CONNACK 0", "PINGRESP");
    listener.expect("PUBLISH q0 t x");
  }

  @Test
  void shouldThrottleAPublisherWithPendingMessages() {
    SessionSettings small = Settings.with("maxPendingPublishes", 4);
    try (World busy = new World(small)) {
      busy.open().connect3("keeper", false).subscribe(1, "a", 1);
      TestClient publisher = busy.open().connect3("p", true);
      publisher.readAll();
      busy.tasks.hold();
      for (int i = 1; i <= 4; i++) {
        publisher.publish(i, 1, "a", "x");
      }
      assertThat(publisher.channel().config().isAutoRead()).isFalse();
      assertThat(busy.observer.heldBack).hasValue(1);
      busy.tasks.resume();
      busy.settle();
      assertThat(publisher.channel().config().isAutoRead()).isTrue();
      publisher.expect("PUBACK 1", "PUBACK 2", "PUBACK 3", "PUBACK 4");
    }
  }

  @Test
  void shouldBoundTheQueueOfAClientThatNeverReads() {
    SessionSettings small = Settings.with("maxQueuedBytes", 4_000);
    try (World busy = new World(small)) {
      TestClient stuck = busy.open().connect3("stuck", true).subscribe(1, "a", 0);
      stuck.readAll();
      // Written packets stay in the channel's queue, as if the client did not read.
      stuck.channel().unsafe().outboundBuffer().setUserDefinedWritability(1, false);
      TestClient publisher = busy.open().connect3("p", true);
      for (int i = 0; i < 20; i++) {
        publisher.publish(0, 0, "a", "x".repeat(1_000));
      }
      assertThat(busy.observer.queued).hasValue(4);
      assertThat(busy.observer.dropped).containsEntry(DropReason.SLOW_CLIENT, 16L);
      stuck.channel().unsafe().outboundBuffer().setUserDefinedWritability(1, true);
      busy.settle();
      assertThat(stuck.readAll()).hasSize(4);
    }
  }

  @Test
  void shouldRefuseClientsThatTheAuthenticatorDenies() {
    Authenticator nobody =
        attempt -> new Authentication.Deny(DenyReason.NOT_AUTHORIZED, "all clients denied").now();
    try (World closed = new World(SessionSettings.defaults(), TestSecurity.of(nobody))) {
      closed.open().connect3("c", true).expect("CONNACK 5");
      closed.open().connect5("c", true, 0).expect("CONNACK 87");
      assertThat(closed.observer.refused).containsEntry(CloseReason.NOT_AUTHORIZED, 2);
      assertThat(closed.sessions.size()).isZero();
    }
  }

  @Test
  void shouldDisconnectAClientAcceptedDuringShutdown() {
    CompletableFuture<Authentication> authentication = new CompletableFuture<>();
    Authenticator slow = attempt -> authentication;
    try (World closing = new World(SessionSettings.defaults(), TestSecurity.of(slow))) {
      TestClient late = closing.open().connect3("c", false);
      var gone = closing.sessions.shutDown();
      authentication.complete(Authentication.allow("u"));
      closing.settle();
      late.expect("CONNACK 3");
      assertThat(late.isOpen()).isFalse();
      assertThat(gone).isCompleted();
      assertThat(closing.sessions.size()).isZero();
    }
  }

  @Test
  void shouldNotServeAClientAuthenticatedWhileTheIncarnationEnded() {
    CompletableFuture<Authentication> authentication = new CompletableFuture<>();
    Authenticator slow = attempt -> authentication;
    try (World down = new World(SessionSettings.defaults(), TestSecurity.of(slow))) {
      TestClient late = down.open().connect3("c", false);
      down.serving = false;
      var ended = down.sessions.endIncarnation(10);
      authentication.complete(Authentication.allow("u"));
      down.settle();
      late.expect("CONNACK 3");
      assertThat(late.isOpen()).isFalse();
      assertThat(ended).isCompleted();
      assertThat(down.sessions.size()).isZero();
      assertThat(down.inboxes.calls).isEmpty();
    }
  }

  @Test
  void shouldCountAClientThatDisconnectsDuringAuthentication() {
    CompletableFuture<Authentication> authentication = new CompletableFuture<>();
    Authenticator slow = attempt -> authentication;
    try (World slowWorld = new World(SessionSettings.defaults(), TestSecurity.of(slow))) {
      TestClient client = slowWorld.open().connect3("c", true);
      assertThat(slowWorld.observer.heldBack).hasValue(1);
      client.cut();
      assertThat(slowWorld.observer.heldBack).hasValue(0);
      authentication.complete(Authentication.allow("u"));
      slowWorld.settle();
      assertThat(slowWorld.observer.refused)
          .containsOnly(Map.entry(CloseReason.CONNECTION_LOST, 1));
      assertThat(slowWorld.sessions.size()).isZero();
    }
  }

  @Test
  void shouldServeMqtt31() {
    // A client identifier of 24 characters, one more than MQTT 3.1 allows.
    TestClient client =
        world.open().sendHex("1026 0006 4d5149736470 03 02 003c 0018 " + "61".repeat(24));
    client.subscribe(1, "a", 1).publish(1, 1, "a", "x");
    client.expect("CONNACK 0", "SUBACK 1 [1]", "PUBLISH q1 id=1 a x", "PUBACK 1");
  }
}
