package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.Decision;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what clients may do, and how the broker responds to denied actions. */
@ExtendWith(LeakDetector.class)
class AuthorizationTest {
  /** May write to {@code in/…} and read {@code out/…}; nothing else. */
  private static final Permissions PERMISSIONS =
      new Permissions(
          List.of(
              Rule.allow(Access.WRITE, "in/#"),
              Rule.deny(Access.READ, "out/secret"),
              Rule.allow(Access.READ, "out/#")));

  private static final Authenticator LIMITED =
      attempt ->
          new Authentication.Allow(
                  new Identity(
                      "t",
                      "u",
                      attempt.clientId().startsWith("free") ? null : PERMISSIONS,
                      Map.of()))
              .now();

  private final World world = new World(SessionSettings.defaults(), TestSecurity.of(LIMITED));

  @AfterEach
  void closeWorld() {
    world.close();
    assertThat(world.observer.heldBack).hasValue(0);
    assertThat(world.sessions.size()).isZero();
  }

  private static TestClient expectConnected(TestClient client) {
    client.expect("CONNACK 0");
    return client;
  }

  private TestClient connectUnlimited(String filter) {
    TestClient client = expectConnected(world.open().connect5("free-" + filter, true, 0));
    client.subscribe(1, filter, 2).readAll();
    return client;
  }

  @Test
  void shouldSendTheReasonOfADeniedPublishToMqtt5() {
    TestClient listener = connectUnlimited("#");
    TestClient client = expectConnected(world.open().connect5("c", true, 0));
    client.publish(1, 1, "in/a", "x").publish(2, 1, "else", "x").publish(3, 1, "in/b", "x");
    client.expect("PUBACK 1", "PUBACK 2 87", "PUBACK 3");
    client.publish(4, 2, "else", "x").expect("PUBREC 4 87");
    client.publish(4, 2, "in/c", "x").expect("PUBREC 4");
    client.reply(MqttMessageType.PUBREL, 4).expect("PUBCOMP 4");
    client.publish(0, 0, "else", "x").expect();
    listener.expect("PUBLISH q1 id=1 in/a x", "PUBLISH q1 id=2 in/b x", "PUBLISH q2 id=3 in/c x");
    assertThat(world.observer.dropped).containsEntry(DropReason.NOT_AUTHORIZED, 1L);
  }

  @Test
  @DisplayName("[3.1.1: MQTT-3.3.5-2] a denied MQTT 3 publish is acknowledged and dropped")
  void shouldAcknowledgeAndDropDeniedPublishesOfMqtt3() {
    TestClient listener = connectUnlimited("#");
    TestClient client = expectConnected(world.open().connect3("c", true));
    client.publish(1, 1, "else", "x").expect("PUBACK 1");
    client.publish(2, 2, "else", "x").expect("PUBREC 2");
    client.reply(MqttMessageType.PUBREL, 2).expect("PUBCOMP 2");
    client.publish(0, 0, "else", "x").publish(2, 2, "in/a", "y").expect("PUBREC 2");
    listener.expect("PUBLISH q2 id=1 in/a y");
    assertThat(world.observer.dropped).containsEntry(DropReason.NOT_AUTHORIZED, 3L);
  }

  @ParameterizedTest(name = "persistent: {0}")
  @CsvSource({"60", "0"})
  void shouldFreeTheIdentifierOfADeniedQos2Publish(int expirySeconds) {
    TestClient listener = connectUnlimited("#");
    TestClient client = expectConnected(world.open().connect5("c", false, expirySeconds));
    for (int i = 0; i < 3; i++) {
      client.publish(7, 2, "else", "x").expect("PUBREC 7 87");
    }
    client.publish(7, 2, "in/a", "x").expect("PUBREC 7");
    listener.expect("PUBLISH q2 id=1 in/a x");
  }

  @Test
  void shouldDenySubscriptionsFilterByFilter() {
    TestClient five = expectConnected(world.open().connect5("c5", true, 0));
    five.subscribe(1, "out/a", 1).subscribe(2, "in/a", 1).subscribe(3, "#", 0);
    five.expect("SUBACK 1 [1]", "SUBACK 2 [135]", "SUBACK 3 [0]");
    five.subscribe(4, "out/secret", 0).subscribe(5, "$share/g/in/#", 0);
    five.expect("SUBACK 4 [135]", "SUBACK 5 [135]");
    TestClient three = expectConnected(world.open().connect3("c3", true));
    three.subscribe(1, "out/#", 1).subscribe(2, "in/a", 1);
    three.expect("SUBACK 1 [1]", "SUBACK 2 [128]");
  }

  @ParameterizedTest(name = "session expiry {0}")
  @CsvSource({"0", "60"})
  void shouldSendOnlyWhatTheClientMayRead(int expirySeconds) {
    TestClient publisher = connectUnlimited("nothing");
    publisher.publish(1, 1, "out/kept", "r", true, false, MqttProperties.NO_PROPERTIES);
    publisher.publish(2, 1, "out/secret", "r", true, false, MqttProperties.NO_PROPERTIES);
    publisher.publish(3, 1, "in/kept", "r", true, false, MqttProperties.NO_PROPERTIES);
    TestClient client = expectConnected(world.open().connect5("c", true, expirySeconds));
    client.subscribe(1, "#", 1);
    client.expect("SUBACK 1 [1]", "PUBLISH q1 retain id=1 out/kept r");
    for (String topic : List.of("out/secret", "out/a", "in/a", "out/b")) {
      publisher.publish(4, 1, topic, "m");
      publisher.publish(0, 0, topic, "m");
    }
    assertThat(client.readAll())
        .filteredOn(packet -> packet.contains("q0"))
        .containsExactly("PUBLISH q0 out/a m", "PUBLISH q0 out/b m");
    assertThat(world.observer.dropped).containsEntry(DropReason.NOT_AUTHORIZED, 4L);
  }

  @Test
  void shouldDeliverASharedMessageToAMemberThatMayReadIt() {
    TestClient permitted = expectConnected(world.open().connect5("free-member", true, 0));
    TestClient forbidden = expectConnected(world.open().connect5("limited", true, 0));
    permitted.subscribe(1, "$share/g/#", 0).readAll();
    forbidden.subscribe(1, "$share/g/#", 0).expect("SUBACK 1 [0]");
    TestClient publisher = connectUnlimited("nothing");
    for (int i = 0; i < 4; i++) {
      publisher.publish(0, 0, "in/x", "m" + i);
    }
    forbidden.expect();
    assertThat(permitted.readAll()).hasSize(4);
  }

  @ParameterizedTest(name = "session expiry {0}")
  @CsvSource({"0", "60"})
  void shouldKeepTheSubscriptionsOfAMemberThatMayNotReadAMessage(int expirySeconds) {
    TestClient member = expectConnected(world.open().connect5("limited", true, expirySeconds));
    member.subscribe(1, "out/#", 0).subscribe(2, "$share/g/#", 0).readAll();
    TestClient publisher = connectUnlimited("nothing");

    publisher.publish(1, 1, "in/x", "for nobody").expect("PUBACK 1");
    publisher.publish(2, 1, "out/a", "after").expect("PUBACK 2");

    member.expect("PUBLISH q0 out/a after", "PUBLISH q0 out/a after");
    assertThat(world.observer.dropped).isEmpty();
    assertThat(world.undelivered).isEqualTo(Map.of("no_share_member", 1L));
  }

  @ParameterizedTest(name = "will for {0}: MQTT 5 {1}, MQTT 3 {2}")
  @CsvSource({"in/will, 0, 0", "else, 87, 5"})
  void shouldRefuseAClientThatMayNotPublishItsWill(String topic, String five, String three) {
    for (MqttVersion version : List.of(MqttVersion.MQTT_5, MqttVersion.MQTT_3_1_1)) {
      world
          .open()
          .connect(
              to ->
                  to.protocolVersion(version)
                      .clientId("c")
                      .cleanSession(true)
                      .willFlag(true)
                      .willTopic(topic)
                      .willMessage("gone".getBytes(StandardCharsets.UTF_8)))
          .expect("CONNACK " + (version == MqttVersion.MQTT_5 ? five : three));
    }
  }

  /** Decides when the test calls {@link #decide}. */
  private static final class DeferredAuthorizer implements Authorizer {
    private final List<String> requests = new ArrayList<>();
    private CompletableFuture<Decision> answer = new CompletableFuture<>();

    @Override
    public CompletionStage<Decision> authorize(
        io.fjordmq.api.plugin.ClientInfo client, Action action) {
      requests.add(client.clientId() + " " + action);
      return answer;
    }

    private void decide(Decision decision) {
      CompletableFuture<Decision> decided = answer;
      answer = new CompletableFuture<>();
      decided.complete(decision);
    }
  }

  @Test
  void shouldKeepPacketOrderWhileAnAuthorizerIsPending() {
    DeferredAuthorizer slow = new DeferredAuthorizer();
    try (World slowWorld =
        new World(SessionSettings.defaults(), TestSecurity.of(allowAll(), slow))) {
      TestClient client = expectConnected(slowWorld.open().connect5("c", true, 0));
      client.publish(1, 1, "a", "x").publish(2, 1, "b", "x").sendHex("c000").expect();
      assertThat(slowWorld.observer.heldBack).hasValue(1);
      assertThat(slow.requests).containsExactly("c publish to a");
      slow.decide(Decision.DENY);
      slowWorld.settle();
      client.expect("PUBACK 1 87");
      slow.decide(Decision.ALLOW);
      slowWorld.settle();
      assertThat(client.readAll()).containsExactlyInAnyOrder("PUBACK 2 10", "PINGRESP");
      assertThat(slowWorld.observer.heldBack).hasValue(0);
      client.publish(3, 1, "a", "x").publish(4, 1, "b", "x").expect("PUBACK 3 87", "PUBACK 4 10");
      assertThat(slow.requests).containsExactly("c publish to a", "c publish to b");
      client.publish(0, 0, "a", "x"); // another QoS needs another decision
      assertThat(slow.requests).hasSize(3);
      client.publish(5, 1, "b", "x").cut();
      slow.decide(Decision.ALLOW);
      slowWorld.settle();
      assertThat(slowWorld.sessions.size()).isZero();
      assertThat(slowWorld.observer.heldBack).hasValue(0);
    }
  }

  @Test
  void shouldDrainPendingPacketsWithoutGrowingTheStack() {
    int packets = 20_000;
    CompletableFuture<Decision> first = new CompletableFuture<>();
    List<String> asked = new ArrayList<>();
    Authorizer quick =
        (client, action) -> {
          asked.add(action.toString());
          return asked.size() == 1 ? first : Decision.DENY.now();
        };
    try (World world = new World(SessionSettings.defaults(), TestSecurity.of(allowAll(), quick))) {
      TestClient client = expectConnected(world.open().connect3("c", true));
      StringBuilder publishes = new StringBuilder();
      for (int i = 0; i < packets; i++) {
        publishes.append(
            String.format("3006 0004 %08x", 0x30303030 + (i % 10) + (i / 10 % 10 << 8)));
      }
      client.sendHex(publishes.toString());
      first.complete(Decision.DENY);
      world.settle();
      assertThat(world.observer.dropped).containsEntry(DropReason.NOT_AUTHORIZED, (long) packets);
      client.sendHex("c000").expect("PINGRESP");
    }
  }

  private static Authenticator allowAll() {
    return attempt -> new Authentication.Allow(new Identity("t", "u", null, Map.of())).now();
  }

  @Test
  void shouldAuthorizeAgainWhenACachedDecisionExpires() {
    List<String> asked = new ArrayList<>();
    Authorizer counting =
        (client, action) -> {
          asked.add(action.toString());
          return Decision.ALLOW.now();
        };
    try (World later =
        new World(SessionSettings.defaults(), TestSecurity.of(allowAll(), counting))) {
      TestClient client = expectConnected(later.open().connect5("c", true, 0));
      client.publish(1, 1, "a", "x").publish(2, 1, "a", "x");
      assertThat(asked).hasSize(1);
      later.advanceClock(61);
      client.publish(3, 1, "a", "x");
      assertThat(asked).hasSize(2);
      for (int i = 0; i < 200; i++) {
        client.publish(0, 0, "t/" + i, "x"); // more topics than are cached
      }
      assertThat(asked).hasSize(202);
    }
  }

  @Test
  void shouldAskAuthorizersAboutSubscriptionsInOrder() {
    Authorizer first =
        (client, action) ->
            action instanceof Action.Subscribe wanted && wanted.filter().text().startsWith("x")
                ? Decision.DENY.now()
                : Decision.PASS.now();
    Authorizer second =
        (client, action) ->
            action.toString().endsWith("y") ? Decision.ALLOW.now() : Decision.PASS.now();
    try (World two =
        new World(SessionSettings.defaults(), TestSecurity.of(allowAll(), first, second))) {
      TestClient client = expectConnected(two.open().connect5("c", true, 0));
      client.subscribe(1, "x/y", 0).subscribe(2, "a/y", 0).subscribe(3, "a/z", 0);
      client.expect("SUBACK 1 [135]", "SUBACK 2 [0]", "SUBACK 3 [135]");
    }
  }
}
