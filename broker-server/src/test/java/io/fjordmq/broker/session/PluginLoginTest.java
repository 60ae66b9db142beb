package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.UserProperty;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.ConnectOptions;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.SessionLimits;
import io.fjordmq.api.plugin.SessionLimits.Kind;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.net.ListenerSettings;
import io.fjordmq.broker.net.OpenListener;
import io.fjordmq.broker.net.OpenListener.RawConnection;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an authenticator of a plugin sees of a CONNECT, and what its answer can contain. */
@ExtendWith(LeakDetector.class)
class PluginLoginTest {
  private static OpenListener open(Authenticator authenticator) {
    return new OpenListener(
        SessionSettings.defaults(),
        TestSecurity.of(authenticator),
        ListenerSettings.tcp("127.0.0.1", 0));
  }

  private static String hex(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    HexFormat format = HexFormat.of();
    return format.toHexDigits((short) bytes.length) + format.formatHex(bytes);
  }

  private static String packet(String body) {
    return "10" + HexFormat.of().toHexDigits((byte) (body.length() / 2)) + body;
  }

  @Test
  void shouldShowTheOptionsOfTheClient() throws Exception {
    List<ConnectAttempt> attempts = new ArrayList<>();
    Authenticator recording =
        attempt -> {
          attempts.add(attempt);
          return Authentication.allow("u").now();
        };
    try (OpenListener listener = open(recording);
        RawConnection five = listener.connect();
        RawConnection three = listener.connect()) {
      String properties = "26" + hex("site") + hex("north") + "1100000e10";
      String will = "00" + hex("gone") + hex("bye");
      // Flags: will with QoS 1 and RETAIN, no clean start. Keep alive: 30 s.
      five.send(
          packet(
              hex("MQTT")
                  + "05 2c 001e".replace(" ", "")
                  + HexFormat.of().toHexDigits((byte) (properties.length() / 2))
                  + properties
                  + hex("a")
                  + will));
      assertThat(five.read()).startsWith("20");
      ConnectOptions options = attempts.get(0).options();
      assertThat(options.cleanStart()).isFalse();
      assertThat(options.keepAliveSeconds()).isEqualTo(30);
      assertThat(options.sessionExpirySeconds()).isEqualTo(3_600);
      assertThat(options.userProperties()).containsExactly(new UserProperty("site", "north"));
      assertThat(Objects.requireNonNull(options.will()).message().topic().name()).isEqualTo("gone");
      three.send(packet(hex("MQTT") + "04020000" + hex("b")));
      assertThat(three.read()).isEqualTo("20020000");
      assertThat(attempts.get(1).options())
          .isEqualTo(new ConnectOptions(true, 0, 0, List.of(), null));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "CLIENT_IDENTIFIER_NOT_VALID, 85, 02",
    "QUOTA_EXCEEDED, 97, 03",
    "CONNECTION_RATE_EXCEEDED, 9f, 03",
    "USE_ANOTHER_SERVER, 9c, 03",
    "BANNED, 8a, 05"
  })
  void shouldSendTheReasonAndItsText(DenyReason reason, String mqtt5, String mqtt3)
      throws Exception {
    String text = "Your plan allows 3 devices. " + "é".repeat(60);
    Authenticator denying = attempt -> new Authentication.Deny(reason, "internal", text).now();
    try (OpenListener listener = open(denying);
        RawConnection five = listener.connect();
        RawConnection three = listener.connect()) {
      five.send(packet(hex("MQTT") + "0502003c00" + hex("a")));
      String connack = five.read();
      assertThat(connack.substring(6, 8)).isEqualTo(mqtt5);
      byte[] bytes = HexFormat.of().parseHex(connack);
      String received = new String(bytes, 8, bytes.length - 8, StandardCharsets.UTF_8);
      assertThat(text).startsWith(received);
      assertThat(received.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(118, 120);
      three.send(packet(hex("MQTT") + "04020000" + hex("a")));
      assertThat(three.read()).isEqualTo("200200" + mqtt3);
      assertThat(listener.world.history.find(null, "a").toString())
          .contains("internal")
          .doesNotContain("Your plan");
    }
  }

  /** The client identifier of each client becomes the part after the dash. */
  private static World renaming() {
    Authenticator authenticator =
        attempt -> {
          int dash = attempt.clientId().indexOf('-');
          Identity identity = Identity.of("u");
          return new Authentication.Allow(
                  dash < 0
                      ? identity.withClientId("assigned")
                      : identity.withClientId(attempt.clientId().substring(dash + 1)))
              .now();
        };
    return new World(SessionSettings.defaults(), TestSecurity.of(authenticator));
  }

  @Test
  void shouldGiveTheSessionToTheClientIdentifierOfTheIdentity() {
    try (World world = renaming()) {
      TestClient first = world.open().connect5("x-device", false, 1_000);
      first.expect("CONNACK 0");
      first.subscribe(1, "a", 1).expect("SUBACK 1 [1]");
      // Another client identifier for the same session takes it over.
      TestClient second = world.open().connect5("y-device", false, 1_000);
      second.expect("CONNACK 0 present");
      assertThat(first.isOpen()).isFalse();
      world.open().connect5("p-p", true, 0).publish(1, 1, "a", "x");
      assertThat(second.readAll()).hasSize(1);
      assertThat(world.history.find("", "device").toString()).contains("Connected");
      // Not even a client that sends this identifier itself is another one.
      TestClient third = world.open().connect5("z-device", false, 1_000);
      third.expect("CONNACK 0 present", "PUBLISH q1 dup id=1 a x");
      assertThat(second.isOpen()).isFalse();
    }
  }

  @Test
  void shouldRefuseClientIdentifiersThatNoClientCanHave() {
    try (World world = renaming()) {
      world.open().decodeMqtt5().connect5("x-", true, 0).expect("CONNACK 85");
      world.open().decodeMqtt5().connect5("x-" + "y".repeat(1_025), true, 0).expect("CONNACK 85");
    }
  }

  @Test
  void shouldApplyTheLimitsOfTheIdentity() {
    SessionLimits limits =
        SessionLimits.NONE
            .with(Kind.PUBLISHES_PER_SECOND, 1)
            .with(Kind.MAX_SUBSCRIPTIONS, -5) // moved to 1
            .with(Kind.MAX_PAYLOAD_BYTES, 3)
            .with(Kind.MAX_SESSION_EXPIRY_SECONDS, 60);
    Authenticator limiting =
        attempt ->
            new Authentication.Allow(
                    attempt.clientId().equals("limited")
                        ? Identity.of("u").withLimits(limits)
                        : Identity.of("u"))
                .now();
    try (World world = new World(SessionSettings.defaults(), TestSecurity.of(limiting))) {
      TestClient limited = world.open().connect5("limited", true, 1_000);
      limited.expect("CONNACK 0");
      limited.subscribe(1, "a", 1).subscribe(2, "b", 1).expect("SUBACK 1 [1]", "SUBACK 2 [151]");
      limited.publish(1, 1, "x", "long").expect("PUBACK 1 97");
      limited.publish(0, 0, "x", "y");
      assertThat(limited.channel().config().isAutoRead()).isFalse();

      TestClient other = world.open().connect5("other", true, 1_000);
      other.expect("CONNACK 0");
      other.subscribe(1, "a", 1).subscribe(2, "b", 1).expect("SUBACK 1 [1]", "SUBACK 2 [1]");
      other.publish(1, 1, "x", "long").expect("PUBACK 1 10");

      // Changed limits of the tenant do not replace the client's own.
      world.sessions.applyLimits();
      world.settle();
      limited.advance(1);
      assertThat(limited.channel().config().isAutoRead()).isTrue();
      limited.publish(0, 0, "x", "y").publish(0, 0, "x", "y");
      assertThat(limited.channel().config().isAutoRead()).isFalse();
    }
  }
}
