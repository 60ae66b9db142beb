package io.fjordmq.broker.net;

import static io.fjordmq.broker.net.OpenListener.CONNECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.net.OpenListener.RawConnection;
import io.fjordmq.broker.net.TlsSettings.ClientCertificate;
import io.fjordmq.broker.revocation.CrlSettings;
import io.fjordmq.broker.revocation.OcspSettings;
import io.fjordmq.broker.revocation.UnknownStatusPolicy;
import io.fjordmq.broker.security.DenialCause;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.SecurityObserver;
import io.fjordmq.broker.security.SecuritySettings;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.security.TestSettings;
import io.fjordmq.broker.testing.Certs;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestAuthority;
import io.fjordmq.broker.testing.TestAuthority.Issued;
import io.fjordmq.broker.testing.TestResponder;
import io.fjordmq.broker.testing.TestResponder.Behavior;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.RecordBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients with revoked certificates, with each TLS library. */
@ParameterizedClass
@EnumSource(TlsLibrary.class)
@ExtendWith(LeakDetector.class)
class RevokedClientsTest {
  private static final String ACCEPTED = "00";
  private static final String NOT_AUTHORIZED = "87";
  private static final String UNAVAILABLE = "88";

  @TempDir Path folder;
  private final TlsLibrary library;
  private final TestAuthority root = new TestAuthority("Root");
  private final TestAuthority authority = root.subordinate("Devices");
  private final List<DenialCause> denials = new CopyOnWriteArrayList<>();

  RevokedClientsTest(TlsLibrary library) {
    this.library = library;
  }

  private static SSLContext client(Issued issued, Certs server) {
    return issued.client(server.trust());
  }

  private OpenListener open(Certs certs, CrlSettings crl, OcspSettings ocsp) throws Exception {
    Path trust =
        Files.writeString(
            folder.resolve("trust.pem"),
            TestAuthority.pem("CERTIFICATE", root.certificate().getEncoded()));
    TlsSettings tls =
        RecordBuilder.from(certs.settings())
            .with(TlsSettings::trustFile, trust.toString())
            .with(TlsSettings::clientAuth, ClientCertificate.OPTIONAL)
            .build();
    SecuritySettings settings =
        TestSettings.with("crl", crl, "ocsp", ocsp, "reloadInterval", Duration.ofMillis(20));
    Authenticator allow = attempt -> Authentication.allow("u").now();
    SecurityObserver observer =
        new SecurityObserver() {
          @Override
          public void onDenied(Attempt attempt, DenialCause cause) {
            denials.add(cause);
          }
        };
    Security security = TestSecurity.of(settings, observer, allow);
    OpenListener listener =
        new OpenListener(SessionSettings.defaults(), security, library, OpenListener.tls(tls));
    security.onIdentitiesChanged(
        () -> listener.world.sessions.clientsToDisconnect(null).forEachRemaining(Runnable::run));
    security.recheckCertificates(listener.world.sessions::connectedCertificates);
    return listener;
  }

  private CrlSettings lists(TestAuthority.Issued... revoked) throws Exception {
    Path lists = folder.resolve("crls");
    Files.createDirectories(lists);
    Files.write(lists.resolve("root.crl"), root.crl());
    write(lists, revoked);
    return new CrlSettings(lists.toString(), UnknownStatusPolicy.DENY);
  }

  private void write(Path lists, TestAuthority.Issued... revoked) throws Exception {
    // Not a list itself while it is being written.
    Path next = folder.resolve("next");
    Files.write(
        next,
        authority.crl(
            java.util.Arrays.stream(revoked)
                .map(Issued::certificate)
                .toArray(java.security.cert.X509Certificate[]::new)));
    Files.move(
        next, lists.resolve("devices.crl"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }

  private static String connect(RawConnection connection) throws Exception {
    connection.send(CONNECT);
    return connection.read().substring(6, 8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void shouldRefuseClientsInARevocationList(String protocol) throws Exception {
    Certs certs = new Certs(folder);
    Issued good = authority.issue("good");
    Issued bad = authority.issue("bad");
    try (OpenListener listener = open(certs, lists(bad), OcspSettings.DEFAULTS)) {
      try (RawConnection connection = listener.connect(client(good, certs), protocol)) {
        assertThat(connect(connection)).isEqualTo(ACCEPTED);
      }
      try (RawConnection connection = listener.connect(client(bad, certs), protocol)) {
        assertThat(connect(connection)).isEqualTo(NOT_AUTHORIZED);
        assertThat(connection.awaitClose()).isTrue();
      }
      assertThat(denials).containsExactly(DenialCause.REVOKED);
      assertThat(listener.world.history.find(null, "a").toString())
          .contains("of CN=bad was revoked at")
          .contains("securityConfig.crl");
      try (RawConnection connection = listener.connect(certs.trusting(null), protocol)) {
        assertThat(connect(connection)).as("without a certificate").isEqualTo(ACCEPTED);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void shouldAlsoCheckResumedSessions(String protocol) throws Exception {
    Certs certs = new Certs(folder);
    Issued device = authority.issue("device");
    CrlSettings lists = lists();
    try (OpenListener listener = open(certs, lists, OcspSettings.DEFAULTS)) {
      SSLContext context = client(device, certs);
      try (RawConnection connection = listener.connect(context, protocol)) {
        assertThat(connect(connection)).isEqualTo(ACCEPTED);
        assertThat(OpenListener.take(listener.handshakes)).isFalse();
      }
      try (RawConnection connection = listener.connect(context, protocol)) {
        assertThat(connect(connection)).isEqualTo(ACCEPTED);
        assertThat(OpenListener.take(listener.handshakes)).as("resumed").isTrue();
        write(Path.of(lists.path()), device);
        // DISCONNECT "not authorized", because connected clients are checked, too
        assertThat(connection.read()).startsWith("e0").contains(NOT_AUTHORIZED);
        assertThat(connection.awaitClose()).isTrue();
      }
      try (RawConnection connection = listener.connect(context, protocol)) {
        assertThat(connect(connection)).isEqualTo(NOT_AUTHORIZED);
      }
    }
  }

  @Test
  void shouldRefuseClientsOfAnAuthorityWithoutAList() throws Exception {
    Certs certs = new Certs(folder);
    CrlSettings lists = lists();
    Files.delete(Path.of(lists.path()).resolve("devices.crl"));
    try (OpenListener listener = open(certs, lists, OcspSettings.DEFAULTS);
        RawConnection connection = listener.connect(client(authority.issue("c"), certs))) {
      assertThat(connect(connection)).isEqualTo(UNAVAILABLE);
      assertThat(denials).containsExactly(DenialCause.REVOCATION_UNKNOWN);
      assertThat(listener.world.history.find(null, "a").toString())
          .contains("there is no revocation list of CN=Devices");
    }
  }

  @Test
  void shouldAskAResponder() throws Exception {
    Certs certs = new Certs(folder);
    try (TestResponder responder = new TestResponder()) {
      responder.answerFor(authority);
      TestAuthority direct = authority; // the intermediate authority itself names no responder
      Issued good = direct.issue("good", responder.url());
      Issued bad = direct.issue("bad", responder.url());
      responder.revoke(bad.certificate());
      OcspSettings ocsp =
          RecordBuilder.from(OcspSettings.DEFAULTS)
              .with(OcspSettings::enabled, true)
              .with(OcspSettings::onError, UnknownStatusPolicy.IGNORE)
              .build();
      try (OpenListener listener = open(certs, CrlSettings.DEFAULTS, ocsp)) {
        try (RawConnection connection = listener.connect(client(good, certs))) {
          assertThat(connect(connection)).isEqualTo(ACCEPTED);
        }
        try (RawConnection connection = listener.connect(client(bad, certs))) {
          assertThat(connect(connection)).isEqualTo(NOT_AUTHORIZED);
        }
        assertThat(denials).containsExactly(DenialCause.REVOKED);
      }
    }
  }

  @Test
  void shouldAskAResponderAboutConnectedClients() throws Exception {
    Certs certs = new Certs(folder);
    try (TestResponder responder = new TestResponder()) {
      responder.answerFor(authority);
      Issued device = authority.issue("device", responder.url());
      OcspSettings ocsp =
          RecordBuilder.from(OcspSettings.DEFAULTS)
              .with(OcspSettings::enabled, true)
              .with(OcspSettings::onError, UnknownStatusPolicy.IGNORE)
              .with(OcspSettings::cacheTime, Duration.ZERO)
              .with(OcspSettings::recheckInterval, Duration.ofMillis(20))
              .build();
      try (OpenListener listener = open(certs, CrlSettings.DEFAULTS, ocsp);
          RawConnection connection = listener.connect(client(device, certs))) {
        assertThat(connect(connection)).isEqualTo(ACCEPTED);
        responder.forget(device.certificate());
        int before = responder.requests.get();
        Await.until("two more requests", () -> responder.requests.get() > before + 1);
        // A responder that does not know the certificate has not revoked it.
        assertThat(listener.world.sessions.connectedCertificates()).toIterable().hasSize(1);
        responder.revoke(device.certificate());
        assertThat(connection.read()).startsWith("e0").contains(NOT_AUTHORIZED);
        assertThat(connection.awaitClose()).isTrue();
      }
    }
  }

  @Test
  void shouldServeOtherClientsWhileAResponderHangs() throws Exception {
    Certs certs = new Certs(folder);
    try (TestResponder responder = new TestResponder()) {
      responder.answerFor(authority);
      responder.behavior = Behavior.HANG;
      OcspSettings ocsp =
          RecordBuilder.from(OcspSettings.DEFAULTS)
              .with(OcspSettings::enabled, true)
              .with(OcspSettings::timeout, Duration.ofSeconds(1))
              .build();
      try (OpenListener listener = open(certs, CrlSettings.DEFAULTS, ocsp);
          RawConnection waiting =
              listener.connect(client(authority.issue("c", responder.url()), certs))) {
        waiting.send(CONNECT);
        // More clients than event loops, none of which is blocked.
        for (int i = 0; i < 4; i++) {
          try (RawConnection other = listener.connect(certs.trusting(null))) {
            assertThat(connect(other)).isEqualTo(ACCEPTED);
          }
        }
        assertThat(waiting.read().substring(6, 8)).isEqualTo(UNAVAILABLE);
        assertThat(denials).containsExactly(DenialCause.REVOCATION_UNKNOWN);
      }
    }
  }
}
