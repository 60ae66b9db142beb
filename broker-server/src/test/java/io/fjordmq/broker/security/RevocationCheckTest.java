package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.revocation.CrlSettings;
import io.fjordmq.broker.revocation.OcspSettings;
import io.fjordmq.broker.revocation.UnknownStatusPolicy;
import io.fjordmq.broker.testing.TestAuthority;
import io.fjordmq.broker.testing.TestAuthority.Issued;
import io.fjordmq.testing.RecordBuilder;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Revocation in tests of the configuration; {@code RevokedClientsTest} has real clients. */
class RevocationCheckTest {
  @TempDir Path folder;
  private final TestAuthority authority = new TestAuthority("Root");

  private static ConnectAttempt attempt(Issued client) {
    return new ConnectAttempt(
        "tlsListener",
        InetAddress.getLoopbackAddress(),
        true,
        client.certificate(),
        5,
        "c",
        null,
        null);
  }

  private LoginDryRun.Result result(Issued client, Issued... revoked) throws Exception {
    java.security.cert.X509Certificate[] certificates =
        List.of(revoked).stream()
            .map(Issued::certificate)
            .toArray(java.security.cert.X509Certificate[]::new);
    Path file = Files.write(folder.resolve("a.crl"), authority.crl(certificates));
    SecuritySettings settings =
        TestSettings.with("crl", new CrlSettings(file.toString(), UnknownStatusPolicy.DENY));
    Authenticator allow = attempt -> Authentication.allow("u").now();
    try (Security security = TestSecurity.of(settings, SecurityObserver.NONE, allow)) {
      return security
          .trial()
          .run(attempt(client), client.issuers(), null)
          .get(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldBeTheFirstStepOfATest() throws Exception {
    Issued client = authority.issue("c");
    LoginDryRun.Result good = result(client);
    assertThat(good.admitted()).isTrue();
    assertThat(good.steps())
        .extracting(ChainStep::chain, ChainStep::result)
        .startsWith(tuple("certificate", "allow"))
        .hasSizeGreaterThan(1);
    LoginDryRun.Result revoked = result(client, client);
    assertThat(revoked.admitted()).isFalse();
    assertThat(revoked.reason()).contains("was revoked at");
    assertThat(revoked.steps())
        .extracting(ChainStep::chain, ChainStep::provider, ChainStep::result)
        .containsExactly(tuple("certificate", "securityConfig.crl", "deny"));
  }

  @Test
  void shouldNotOpenTheOcspClientIfAnotherPartPreventsStartup() {
    SecuritySettings settings =
        TestSettings.with(
            "passwordFile",
            folder.resolve("none").toString(),
            "ocsp",
            RecordBuilder.from(OcspSettings.DEFAULTS).with(OcspSettings::enabled, true).build());
    Set<Thread> before = httpClientThreads();
    assertThatThrownBy(
            () -> Security.open(settings, List.of(), UserSource.NONE, SecurityObserver.NONE))
        .isInstanceOf(SecurityStartException.class);
    assertThat(before).containsAll(httpClientThreads());
  }

  private static Set<Thread> httpClientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("HttpClient-"))
        .collect(Collectors.toSet());
  }

  @Test
  void shouldPreventStartupIfAListCannotBeUsed() {
    SecuritySettings settings =
        TestSettings.with(
            "crl", new CrlSettings(folder.resolve("none").toString(), UnknownStatusPolicy.DENY));
    assertThatThrownBy(
            () -> Security.open(settings, List.of(), UserSource.NONE, SecurityObserver.NONE))
        .isInstanceOf(SecurityStartException.class)
        .hasMessageStartingWith("securityConfig.crl.path: file not found: ");
    assertThat(SecurityFiles.problems(settings, Map.of()))
        .anyMatch(problem -> problem.startsWith("securityConfig.crl.path: file not found: "));
  }
}
