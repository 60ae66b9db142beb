package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.security.PluginJar;
import io.fjordmq.testing.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: connected clients of a running broker are disconnected when their identity ends, unless
 * they have re-authenticated, and when an operator disconnects their user. Method: a plugin that
 * grants identities for seconds, and packets in bytes.
 */
@Tag("slow")
class EndingIdentitiesTest {
  private static final Duration LIFETIME = Duration.ofSeconds(2);
  private static final String METHOD = "RENEW";

  /** The user name is the client identifier up to the first dash. */
  private static final String PLUGIN =
      """
      package com.example;

      import io.fjordmq.api.plugin.*;
      import java.time.Instant;
      import java.util.Map;
      import java.util.concurrent.CompletionStage;

      public final class Leases implements Authenticator, EnhancedAuthenticator {
        private static Identity identity(String clientId, long millis) {
          Instant end = millis == 0 ? null : Instant.now().plusMillis(millis);
          return new Identity("", clientId.split("-")[0], null, Map.of(), false, end);
        }

        @Override
        public CompletionStage<Authentication> authenticate(ConnectAttempt attempt) {
          long millis = attempt.clientId().startsWith("short") ? %1$d : 0;
          Authentication response = new Authentication.Allow(identity(attempt.clientId(), millis));
          return response.now();
        }

        @Override
        public String method() {
          return "%2$s";
        }

        @Override
        public Exchange begin(ConnectAttempt attempt, ClientInfo current) {
          long millis = current == null ? %1$d : 60_000;
          return data -> {
            Step step = new Step.Success(identity(attempt.clientId(), millis), data);
            return step.now();
          };
        }
      }
      """
          .formatted(LIFETIME.toMillis(), METHOD);

  @TempDir private Path folder;

  private static String hex(int bytes, long value) {
    return HexFormat.of().toHexDigits(value, 2 * bytes);
  }

  private static String text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return hex(2, bytes.length) + HexFormat.of().formatHex(bytes);
  }

  private static String packet(int first, String body) {
    return hex(1, first) + hex(1, body.length() / 2) + body;
  }

  /** A CONNECT of MQTT 5 without credentials. */
  private static String connect(String clientId, String properties) {
    String length = hex(1, properties.length() / 2);
    return packet(
        0x10, text("MQTT") + "05 02 003c".replace(" ", "") + length + properties + text(clientId));
  }

  private static String authenticationMethod() {
    return "15" + text(METHOD);
  }

  private BrokerUnderTest start() throws Exception {
    PluginJar.create(
        folder.resolve("plugins"),
        "leases",
        "Authenticator=com.example.Leases EnhancedAuthenticator=com.example.Leases",
        PLUGIN);
    String configuration = "securityConfig:\n  pluginDir: " + folder.resolve("plugins") + "\n";
    return BrokerUnderTest.startIn(folder.resolve("broker"), configuration, List.of());
  }

  @Test
  void shouldDisconnectClientsWhenTheirIdentityEnds() throws Exception {
    try (BrokerUnderTest broker = start()) {
      disconnectsAtTheEnd(broker);
      prolongsByReauthentication(broker);
      disconnectsTheClientsOfAUser(broker);
    }
  }

  private static void disconnectsAtTheEnd(BrokerUnderTest broker) {
    try (RawClient client = new RawClient(broker.mqtt())) {
      long begin = System.nanoTime();
      assertThat(client.send(connect("short-1", "")).next().substring(6, 8)).isEqualTo("00");
      assertThat(client.next())
          .as("DISCONNECT")
          .startsWith("e0")
          .satisfies(packet -> assertThat(packet.substring(4, 6)).isEqualTo("87"));
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(LIFETIME);
      assertThat(client.next()).isEqualTo(RawClient.CLOSED);
    }
  }

  private static void prolongsByReauthentication(BrokerUnderTest broker) {
    try (RawClient client = new RawClient(broker.mqtt());
        RawClient witness = new RawClient(broker.mqtt())) {
      String connack = client.send(connect("a-1", authenticationMethod())).next();
      assertThat(connack).startsWith("20");
      String properties = authenticationMethod();
      String auth = packet(0xF0, "19" + hex(1, properties.length() / 2) + properties);
      assertThat(client.send(auth).next()).startsWith("f0");
      // A client whose identity ends later than the first one of the other would have.
      assertThat(witness.send(connect("short-2", "")).next()).startsWith("20");
      assertThat(witness.next()).startsWith("e0");
      assertThat(client.send("c000").next()).isEqualTo("d000");
    }
  }

  private static void disconnectsTheClientsOfAUser(BrokerUnderTest broker) {
    Await.until("the API to be ready", () -> Files.exists(ApiClient.file(broker.nodeDirectory())));
    ApiClient api = ApiClient.of(broker.nodeDirectory());
    try (RawClient first = new RawClient(broker.mqtt());
        RawClient second = new RawClient(broker.mqtt());
        RawClient other = new RawClient(broker.mqtt())) {
      assertThat(first.send(connect("alice-1", "")).next()).startsWith("20");
      // A persistent session
      assertThat(second.send(connect("alice-2", "1100000e10")).next()).startsWith("20");
      assertThat(other.send(connect("bob-1", "")).next()).startsWith("20");
      assertThat(api.send("DELETE", "/clients", "").status()).isEqualTo(400);
      ApiClient.Response kicked = api.send("DELETE", "/clients?username=alice", "");
      assertThat(kicked.status()).isEqualTo(200);
      assertThat(kicked.body().get("kicked").asInt()).isEqualTo(2);
      for (RawClient client : List.of(first, second)) {
        assertThat(client.next().substring(4, 6)).isEqualTo("98");
        assertThat(client.next()).isEqualTo(RawClient.CLOSED);
      }
      assertThat(other.send("c000").next()).isEqualTo("d000");
      assertThat(api.send("DELETE", "/clients?username=alice", "").body().get("kicked").asInt())
          .isZero();
    }
  }
}
