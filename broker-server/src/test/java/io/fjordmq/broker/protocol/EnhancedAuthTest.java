package io.fjordmq.broker.protocol;

import static io.fjordmq.broker.protocol.Packets.bytes;
import static io.fjordmq.broker.protocol.Packets.connect5;
import static io.fjordmq.broker.protocol.Packets.packet;
import static io.fjordmq.broker.protocol.Packets.properties;
import static io.fjordmq.broker.protocol.Packets.publish5;
import static io.fjordmq.broker.protocol.Packets.subscribe5;
import static io.fjordmq.broker.protocol.Packets.text;
import static io.fjordmq.broker.protocol.Packets.uint32;
import static io.fjordmq.broker.protocol.Packets.withLength;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.DenyReason;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import io.fjordmq.broker.bans.BanKind;
import io.fjordmq.broker.bans.TestBanList;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.RawBroker;
import io.fjordmq.broker.testing.RawBroker.RawConnection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Multi-step authentication (MQTT 5.0 §4.12) and the AUTH packet (§3.15). */
class EnhancedAuthTest {
  private static final String METHOD = "15" + text("COUNT");

  /**
   * Requests the numbers 1, 2, 3 one by one. 07 denies, 08 never completes, 09 belongs to another
   * tenant. A client that re-authenticates may write to {@code second} only.
   */
  private static final class CountingAuthenticator implements EnhancedAuthenticator {
    private final CompletableFuture<Step> never = new CompletableFuture<>();
    private int openExchanges;

    @Override
    public String method() {
      return "COUNT";
    }

    @Override
    public Exchange begin(ConnectAttempt attempt, @Nullable ClientInfo current) {
      openExchanges++;
      return new Exchange() {
        @Override
        public CompletionStage<Step> next(byte[] data) {
          int number = data.length == 0 ? 0 : data[0];
          return switch (number) {
            case 7 -> new Step.Failure(DenyReason.NOT_AUTHORIZED, "7 is not allowed").now();
            case 8 -> never;
            case 9 -> new Step.Success(identity("other", false), new byte[0]).now();
            case 3 -> new Step.Success(identity("t", current != null), new byte[] {33}).now();
            default -> new Step.Continue(new byte[] {(byte) (number + 1)}).now();
          };
        }

        @Override
        public void close() {
          openExchanges--;
        }
      };
    }

    private static Identity identity(String tenant, boolean again) {
      Permissions permissions =
          again ? new Permissions(List.of(Rule.allow(Access.WRITE, "second"))) : null;
      return new Identity(tenant, "u", permissions, Map.of());
    }
  }

  private final CountingAuthenticator authenticator = new CountingAuthenticator();
  private final RawBroker broker =
      new RawBroker(SessionSettings.defaults(), TestSecurity.of(authenticator));

  @AfterEach
  void closeBroker() {
    broker.close();
    assertThat(authenticator.openExchanges).as("exchanges that were not closed").isZero();
  }

  private static String data(int value) {
    return "16" + withLength(bytes(value));
  }

  private static String auth(int code, String... properties) {
    return packet(0xF0, bytes(code), properties(properties));
  }

  private static String continueAuth(int value) {
    return auth(0x18, METHOD, data(value));
  }

  private static String connect(String... more) {
    return connect5("c", true, METHOD + String.join("", more));
  }

  private RawConnection openConnection() {
    RawConnection line = broker.open().send(connect(data(3)));
    assertThat(line.read()).singleElement().asString().matches("20..0000.*");
    return line;
  }

  private static void assertRefused(RawConnection line, String code) {
    assertThat(line.read()).singleElement().asString().matches("20..00" + code + ".*");
    assertThat(line.isOpen()).isFalse();
  }

  private static void assertEnded(RawConnection line, String code) {
    assertThat(line.read()).singleElement().asString().matches("e0.." + code + ".*");
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName(
      "[MQTT-4.12.0-2] [MQTT-4.12.0-3] [MQTT-4.12.0-5] both sides exchange AUTH until the end")
  void shouldExchangeAuthUntilTheClientIsAuthenticated() {
    RawConnection line = broker.open().send(connect());
    assertThat(line.read()).containsExactly(continueAuth(1));
    assertThat(line.send(continueAuth(1)).read()).containsExactly(continueAuth(2));
    assertThat(line.send(continueAuth(2)).read()).containsExactly(continueAuth(3));
    assertThat(line.send(continueAuth(3)).read())
        .singleElement()
        .asString()
        .matches("20..0000.*")
        .contains(METHOD + data(33));
    assertThat(line.send("c000").read()).containsExactly("d000");
  }

  @Test
  @DisplayName("[MQTT-4.12.0-5] CONNACK contains the method even without an AUTH")
  void shouldNameTheMethodInTheConnack() {
    assertThat(broker.open().send(connect(data(3))).read())
        .singleElement()
        .asString()
        .contains(METHOD + data(33));
  }

  @Test
  @DisplayName("[MQTT-4.12.0-1] an unknown method is refused with 0x8C")
  void shouldRefuseAnUnknownMethod() {
    assertRefused(broker.open().send(connect5("c", true, "15" + text("OTHER"))), "8c");
  }

  @Test
  @DisplayName("data without a method is a protocol error")
  void shouldRejectAuthenticationDataWithoutAMethod() {
    assertRefused(broker.open().send(connect5("c", true, data(1))), "82");
  }

  @ParameterizedTest(name = "after {0} steps")
  @DisplayName("[MQTT-4.12.0-4] the server can refuse at any step, and closes the connection")
  @CsvSource({"0", "2"})
  void shouldRefuseTheClientAtAnyStep(int steps) {
    RawConnection line = broker.open().send(connect(steps == 0 ? data(7) : ""));
    if (steps > 0) {
      line.send(continueAuth(1)).read();
      line.send(continueAuth(7));
    }
    assertRefused(line, "87");
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("[MQTT-3.1.2-30] nothing but AUTH and DISCONNECT before the CONNACK")
  @CsvSource({
    "PINGREQ, c000, 82",
    "SUBSCRIBE, 8207 0001 00 0001 61 00, 82",
    "PUBLISH, 3004 0001 61 00, 82"
  })
  void shouldRejectOtherPacketsDuringTheExchange(String what, String hex, String code) {
    RawConnection line = broker.open().send(connect());
    assertThat(line.read()).hasSize(1);
    line.send(hex.replace(" ", ""));
    assertRefused(line, code);
    // Also if it was sent together with the CONNECT.
    RawConnection hasty = broker.open().send(connect(), hex.replace(" ", ""));
    assertThat(hasty.read()).hasSize(2).last().asString().matches("20..00" + code + ".*");
  }

  @Test
  @DisplayName("DISCONNECT ends the exchange without an answer")
  void shouldAllowTheClientToAbortTheExchange() {
    RawConnection line = broker.open().send(connect());
    assertThat(line.read()).hasSize(1);
    assertThat(line.send("e000").read()).isEmpty();
    assertThat(line.isOpen()).isFalse();
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("[MQTT-3.15.1-1] [MQTT-3.15.2-1] a malformed AUTH is refused")
  @CsvSource({
    "reserved flag,     f1, 18, COUNT, 81",
    "unknown code,      f0, 01, COUNT, 82",
    "Success,           f0, 00, COUNT, 82",
    "Re-authenticate,   f0, 19, COUNT, 82",
    "another method,    f0, 18, OTHER, 82",
    "no method,         f0, 18, '',    82"
  })
  void shouldRejectAMalformedAuth(
      String what, String first, String code, String method, String answer) {
    RawConnection line = broker.open().send(connect());
    assertThat(line.read()).as(what).hasSize(1);
    String named = method.isEmpty() ? "" : "15" + text(method);
    line.send(packet(Integer.parseInt(first, 16), code, properties(named + data(1))));
    assertRefused(line, answer);
  }

  @Test
  @DisplayName("[MQTT-4.12.0-6] without a method the server sends neither AUTH nor a method")
  void shouldNotSendAnAuthenticationMethodToClientsWithoutOne() {
    RawConnection line = broker.open().send(connect5("c", true));
    assertRefused(line, "87"); // no other authenticator admits it
    try (RawBroker open = new RawBroker()) {
      assertThat(open.open().send(connect5("c", true)).read())
          .singleElement()
          .asString()
          .matches("20..0000.*")
          .doesNotContain(METHOD);
    }
  }

  @Test
  @DisplayName("[MQTT-3.1.2-24] no AUTH exceeds the client's Maximum Packet Size")
  void shouldNotSendAnAuthLargerThanTheMaximumPacketSize() {
    RawConnection line = broker.open().send(connect("27" + uint32(14)));
    assertThat(line.read())
        .allSatisfy(packet -> assertThat(packet.length() / 2).isLessThanOrEqualTo(14));
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[MQTT-4.12.1-1] a connected client re-authenticates while other packets continue")
  void shouldReauthenticateDuringNormalOperation() {
    RawConnection line = openConnection();
    assertThat(line.send(subscribe5(1, "first", 0)).read()).hasSize(1);
    line.send(auth(0x19, METHOD), publish5("first", "61"));
    assertThat(line.read()).containsExactlyInAnyOrder(continueAuth(1), publish5("first", "61"));
    line.send(continueAuth(1), publish5("first", "62"));
    assertThat(line.read()).containsExactlyInAnyOrder(continueAuth(2), publish5("first", "62"));
    assertThat(line.send(continueAuth(3)).read()).containsExactly(auth(0x00, METHOD, data(33)));
    // The new identity has other permissions: it may write to "second" only, and read nothing.
    assertThat(line.send(publish5(0x32, 7, "first", "00", "63")).read())
        .containsExactly("4003000787");
    assertThat(line.send(publish5(0x32, 8, "second", "00", "63")).read())
        .containsExactly("4003000810");
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("[MQTT-4.12.1-2] a re-authentication that fails ends the connection")
  @CsvSource({"denied, 7", "another tenant, 9"})
  void shouldCloseTheConnectionWhenReauthenticationFails(String what, int value) {
    RawConnection line = openConnection().send(auth(0x19, METHOD, data(value)));
    assertEnded(line, "87");
  }

  @Test
  @DisplayName("a client that re-authenticates as a banned user is disconnected")
  void shouldCloseTheConnectionOfABannedUser() {
    RawConnection line = openConnection();
    broker.bans.set(TestBanList.ban(BanKind.USERNAME, "u"));
    assertThat(line.send(subscribe5(1, "first", 0)).read()).hasSize(1);
    assertEnded(line.send(auth(0x19, METHOD, data(3))), "98");
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("[MQTT-4.12.1-1] re-authentication out of sequence or with another method")
  @CsvSource({
    "another method, f019, OTHER, '', 0",
    "no exchange to continue, f018, COUNT, '', 0",
    "two exchanges at once, f019, COUNT, 08, 1",
    "restart within an exchange, f019, COUNT, '', 1"
  })
  void shouldRejectReauthenticationOutOfSequence(
      String what, String head, String method, String data, int answeredBefore) {
    RawConnection line = openConnection();
    if (answeredBefore > 0) {
      line.send(auth(0x19, METHOD + (data.isEmpty() ? "" : data(8)))).read();
    }
    line.send(packet(0xF0, head.substring(2), properties("15" + text(method))));
    assertThat(line.read()).as(what).singleElement().asString().matches("e0..82.*");
    assertThat(line.isOpen()).isFalse();
  }

  @Test
  @DisplayName("[MQTT-4.12.0-7] no method at CONNECT, no AUTH later")
  void shouldRejectAuthFromAClientThatConnectedWithoutAMethod() {
    try (RawBroker open = new RawBroker()) {
      RawConnection line = open.open().send(connect5("c", true));
      line.read();
      assertEnded(line.send(auth(0x19, METHOD)), "82");
    }
  }

  @Test
  @DisplayName("a connection lost during an exchange releases its resources")
  void shouldReleaseTheExchangeOfALostConnection() {
    RawConnection line = broker.open().send(connect());
    line.read();
    line.cut();
    broker.open().send(connect(data(8))).cut();
    RawConnection again = openConnection().send(auth(0x19, METHOD));
    again.read();
    again.cut();
    assertThat(authenticator.openExchanges).isZero();
  }
}
