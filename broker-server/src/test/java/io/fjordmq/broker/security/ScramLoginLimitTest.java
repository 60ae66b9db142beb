package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import io.fjordmq.broker.security.ConnectAdmission.Challenge;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits of failed logins with SCRAM, whose messages name the user. */
class ScramLoginLimitTest {
  private final Security security = open();

  private static Security open() {
    ProviderEntry scram =
        new ProviderEntry(Chain.AUTHENTICATION, 0, "scram", Map.of("type", "scram"));
    SecuritySettings settings =
        TestSettings.with("maxLoginFailures", 0, "maxNetworkLoginFailures", 0)
            .withProviders(new TreeMap<>(Map.of(0, scram)), new TreeMap<>());
    try {
      return Security.open(settings, List.of(), UserSource.NONE, SecurityObserver.NONE);
    } catch (SecurityStartException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() throws InterruptedException {
    security.close();
  }

  private AuthenticationExchange begin(String address) throws UnknownHostException {
    InetAddress from = InetAddress.getByName(address);
    ConnectAttempt attempt =
        new ConnectAttempt("tcpListener", from, false, null, 5, "c", null, null);
    return Objects.requireNonNull(security.exchange("SCRAM-SHA-256", attempt, null));
  }

  private static ConnectAdmission next(AuthenticationExchange exchange, String message)
      throws Exception {
    return exchange.next(message.getBytes(StandardCharsets.UTF_8)).get(10, TimeUnit.SECONDS);
  }

  private void guess(String address) throws Exception {
    AuthenticationExchange exchange = begin(address);
    ConnectAdmission admission = next(exchange, "n,,n=ann,r=x");
    assertThat(admission).isInstanceOf(Challenge.class);
    String challenge = new String(((Challenge) admission).data(), StandardCharsets.UTF_8);
    String nonce = challenge.substring(0, challenge.indexOf(','));
    String proof = Base64.getEncoder().encodeToString(new byte[32]);
    assertThat(next(exchange, "c=biws," + nonce + ",p=" + proof))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> assertThat(refused.refusal()).isEqualTo(Refusal.BAD_USER_NAME_OR_PASSWORD));
  }

  @Test
  void shouldCountFailuresOfTheUserThatTheMessagesName() throws Exception {
    int max = SecuritySettings.DEFAULTS.maxUserLoginFailures();
    for (int i = 0; i < max; i++) {
      guess("10.0." + i + ".1");
    }
    assertThat(next(begin("10.1.0.1"), "n,,n=ann,r=x"))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> assertThat(refused.refusal()).isEqualTo(Refusal.CONNECTION_RATE_EXCEEDED));
    assertThat(next(begin("10.1.0.1"), "n,,n=bob,r=x")).isInstanceOf(Challenge.class);
  }
}
