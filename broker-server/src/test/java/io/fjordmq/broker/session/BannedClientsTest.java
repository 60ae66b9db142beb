package io.fjordmq.broker.session;

import static io.fjordmq.broker.bans.TestBanList.ban;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.bans.BanKind;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bans at CONNECT and of connected clients, through the whole pipeline. */
@ExtendWith(LeakDetector.class)
class BannedClientsTest {
  /** Clients that were authenticated; the user name is the client identifier and a suffix. */
  private int authenticated;

  private CompletableFuture<Void> decision = CompletableFuture.completedFuture(null);

  private final World world =
      new World(SessionSettings.defaults(), TestSecurity.of((Authenticator) this::authenticate));

  private CompletionStage<Authentication> authenticate(
      io.fjordmq.api.plugin.ConnectAttempt attempt) {
    authenticated++;
    Identity identity = new Identity("t", attempt.clientId() + "-user", null, Map.of());
    return decision.thenApply(done -> new Authentication.Allow(identity));
  }

  @AfterEach
  void close() {
    world.close();
  }

  private TestClient connect(String clientId) {
    return world.open().connect5(clientId, false, 1_000);
  }

  private void disconnectBanned() {
    world.sessions.clientsToDisconnect(null).forEachRemaining(Runnable::run);
    world.settle();
  }

  @Test
  void shouldRefuseAClientIdentifierBeforeAuthentication() {
    world.bans.set(ban(BanKind.CLIENTID, "c"));
    TestClient client = connect("c");
    client.expect("CONNACK 8a");
    assertThat(client.isOpen()).isFalse();
    world.open().connect3("c", true).expect("CONNACK 5");
    world
        .open()
        .connect(to -> to.protocolVersion(MqttVersion.MQTT_3_1).clientId("c").cleanSession(true))
        .expect("CONNACK 5");
    assertThat(authenticated).isZero();
    assertThat(world.observer.refused).containsEntry(CloseReason.BANNED, 3);
    connect("other").expect("CONNACK 0");
    world.bans.set();
    connect("c").expect("CONNACK 0");
  }

  @Test
  void shouldRefuseAnAddressBeforeAuthentication() {
    world.bans.set(ban(BanKind.PEERHOST_NET, "192.0.2.0/24"));
    TestClient client = world.open();
    Peer.plain("tcpListener", new InetSocketAddress("192.0.2.7", 50_000))
        .attachTo(client.channel());
    client.connect5("c", true, 0).expect("CONNACK 8a");
    assertThat(authenticated).isZero();
    TestClient other = world.open();
    Peer.plain("tcpListener", new InetSocketAddress("192.0.3.7", 50_000)).attachTo(other.channel());
    other.connect5("c", true, 0).expect("CONNACK 0");
  }

  @Test
  void shouldRefuseTheUserNameThatTheAuthenticatorReturns() {
    connect("c").expect("CONNACK 0");
    world.bans.set(ban(BanKind.USERNAME, "c-user"));
    connect("c").expect("CONNACK 8a");
    assertThat(world.registry.size()).as("the earlier connection is not taken over").isOne();
    connect("d").expect("CONNACK 0");
  }

  @Test
  void shouldApplyBansOfATenantOnlyToItsClients() {
    world.bans.set(ban(BanKind.CLIENTID, "c", "other", null));
    connect("c").expect("CONNACK 0");
    world.bans.set(ban(BanKind.CLIENTID, "c", "t", null));
    connect("c").expect("CONNACK 8a");
  }

  @Test
  void shouldDisconnectConnectedClients() {
    TestClient banned = connect("c");
    banned.expect("CONNACK 0");
    banned.subscribe(1, "a", 1).expect("SUBACK 1 [1]");
    TestClient old = world.open().connect3("old", true);
    old.expect("CONNACK 0");
    TestClient other = connect("d");
    other.expect("CONNACK 0");
    world.bans.set(ban(BanKind.CLIENTID, "c"), ban(BanKind.USERNAME, "old-user"));
    disconnectBanned();
    banned.expect("DISCONNECT 98");
    assertThat(banned.isOpen()).isFalse();
    assertThat(old.readAll()).isEmpty();
    assertThat(old.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsEntry(CloseReason.BANNED, 2);
    other.publish(1, 1, "a", "m").expect("PUBACK 1");
    disconnectBanned();
    assertThat(world.observer.disconnected).containsEntry(CloseReason.BANNED, 2);

    world.bans.set();
    connect("c").expect("CONNACK 0 present", "PUBLISH q1 id=1 a m");
  }

  @Test
  void shouldRefuseAClientThatIsBannedDuringAuthentication() {
    decision = new CompletableFuture<>();
    TestClient client = connect("c");
    assertThat(client.readAll()).isEmpty();
    world.bans.set(ban(BanKind.CLIENTID, "c"));
    disconnectBanned();
    decision.complete(null);
    world.settle();
    client.expect("CONNACK 8a");
    assertThat(world.registry.size()).isZero();
  }

  @Test
  void shouldAdmitClientsWhenTheBanEnds() {
    world.bans.set(
        ban(BanKind.CLIENTID, "c", null, java.time.Instant.parse("2026-01-01T00:01:00Z")));
    connect("c").expect("CONNACK 8a");
    world.advanceClock(60);
    connect("c").expect("CONNACK 0");
  }
}
