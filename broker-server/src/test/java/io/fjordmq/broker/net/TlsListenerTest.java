package io.fjordmq.broker.net;

import static io.fjordmq.broker.net.OpenListener.CONNECT;
import static io.fjordmq.broker.net.OpenListener.PING;
import static io.fjordmq.broker.net.OpenListener.PONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.net.OpenListener.RawConnection;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.testing.Certs;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.testing.RecordBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests TLS listeners with each TLS library; the clients use the TLS implementation of the JDK. */
@ParameterizedClass
@EnumSource(TlsLibrary.class)
@ExtendWith(LeakDetector.class)
class TlsListenerTest {
  @TempDir Path folder;
  private final TlsLibrary library;

  TlsListenerTest(TlsLibrary library) {
    this.library = library;
  }

  private OpenListener open(TlsSettings settings) {
    return new OpenListener(library, OpenListener.tls(settings));
  }

  private static TlsSettings withChanges(
      TlsSettings s,
      TlsSettings.ClientCertificate clientAuth,
      String trustFile,
      List<String> protocols,
      Duration handshakeTimeout) {
    return RecordBuilder.from(s)
        .with(TlsSettings::trustFile, trustFile)
        .with(TlsSettings::clientAuth, clientAuth)
        .with(TlsSettings::protocols, protocols)
        .with(TlsSettings::handshakeTimeout, handshakeTimeout)
        .with(TlsSettings::reloadInterval, Duration.ofMillis(100))
        .build();
  }

  private static TlsSettings withFastReload(TlsSettings s) {
    return withChanges(s, s.clientAuth(), s.trustFile(), s.protocols(), s.handshakeTimeout());
  }

  private TlsSettings withClientAuth(Certs certs, TlsSettings.ClientCertificate clientAuth) {
    TlsSettings s = certs.settings();
    String trust = certs.authorityFile().toString();
    return withChanges(s, clientAuth, trust, s.protocols(), s.handshakeTimeout());
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void shouldServeTls12AndTls13(String protocol) throws Exception {
    Certs certs = new Certs(folder);
    try (OpenListener listener = open(certs.settings());
        RawConnection connection = listener.connect(certs.trusting(null), protocol)) {
      connection.send(CONNECT);
      assertThat(connection.read()).startsWith("20");
      connection.send(PING);
      assertThat(connection.read()).isEqualTo(PONG);
      Peer peer = OpenListener.take(listener.peers);
      assertThat(peer.encrypted()).isTrue();
      assertThat(peer.certificate()).isNull();
      assertThat(peer.listener()).isEqualTo("tlsListener");
      assertThat(listener.server.listeners().get(0).url())
          .isEqualTo("tls://127.0.0.1:" + listener.port());
      assertThat(((SSLSocket) connection.socket()).getSession().getProtocol()).isEqualTo(protocol);
    }
  }

  @Test
  void shouldServeOnlyTheConfiguredVersions() throws Exception {
    Certs certs = new Certs(folder);
    TlsSettings s = certs.settings();
    TlsSettings newest =
        withChanges(s, s.clientAuth(), "", List.of("TLSv1.3"), s.handshakeTimeout());
    try (OpenListener listener = open(newest)) {
      assertThatThrownBy(() -> listener.connect(certs.trusting(null), "TLSv1.2"))
          .isInstanceOf(SSLException.class);
      listener.awaitRefused(CloseReason.TLS_FAILED, 1);
    }
  }

  @Test
  void shouldIdentifyTheClientByItsCertificate() throws Exception {
    Certs certs = new Certs(folder);
    TlsSettings required = withClientAuth(certs, TlsSettings.ClientCertificate.REQUIRED);
    try (OpenListener listener = open(required);
        RawConnection connection = listener.connect(certs.trusting(certs.client("device-7")))) {
      connection.send(CONNECT);
      assertThat(connection.read()).startsWith("20");
      X509Certificate certificate =
          Objects.requireNonNull(OpenListener.take(listener.peers).certificate());
      assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=device-7");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void shouldRejectClientsWithoutATrustedCertificate(String protocol) throws Exception {
    Certs certs = new Certs(folder);
    X509Bundle stranger = new Certs(Files.createDirectory(folder.resolve("other"))).client("x");
    TlsSettings required = withClientAuth(certs, TlsSettings.ClientCertificate.REQUIRED);
    try (OpenListener listener = open(required)) {
      assertRefused(listener, certs.trusting(null), protocol);
      listener.awaitRefused(CloseReason.TLS_FAILED, 1);
      assertRefused(listener, certs.trusting(stranger), protocol);
      listener.awaitRefused(CloseReason.TLS_FAILED, 2);
      assertThat(listener.peers).isEmpty();
    }
  }

  /** A TLS 1.3 client learns of the rejection at its first read. */
  private static void assertRefused(OpenListener listener, SSLContext client, String protocol) {
    assertThatThrownBy(
            () -> {
              try (RawConnection connection = listener.connect(client, protocol)) {
                connection.send(CONNECT);
                assertThat(connection.read()).isNotEmpty();
              }
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void shouldAcceptClientsWithoutACertificateIfItIsOptional() throws Exception {
    Certs certs = new Certs(folder);
    TlsSettings optional = withClientAuth(certs, TlsSettings.ClientCertificate.OPTIONAL);
    try (OpenListener listener = open(optional)) {
      for (X509Bundle client : new X509Bundle[] {null, certs.client("b")}) {
        try (RawConnection connection = listener.connect(certs.trusting(client))) {
          connection.send(CONNECT);
          assertThat(connection.read()).startsWith("20");
          assertThat(OpenListener.take(listener.peers).certificate() == null)
              .isEqualTo(client == null);
        }
      }
    }
  }

  @Test
  void shouldCountProtocolMismatchesBetweenTlsAndPlainText() throws Exception {
    Certs certs = new Certs(folder);
    try (OpenListener listener = open(certs.settings())) {
      RawConnection plain = listener.connect();
      plain.send(CONNECT);
      assertThat(plain.awaitClose()).isTrue();
      listener.awaitRefused(CloseReason.TLS_FAILED, 1);
    }
    try (OpenListener listener = new OpenListener(ListenerSettings.tcp("127.0.0.1", 0))) {
      assertThatThrownBy(() -> listener.connect(certs.trusting(null)))
          .isInstanceOf(IOException.class);
      listener.awaitRefused(CloseReason.FIRST_PACKET_NOT_CONNECT, 1);
    }
  }

  @Test
  void shouldCloseTheConnectionWhenTheHandshakeTimesOut() throws Exception {
    Certs certs = new Certs(folder);
    TlsSettings s = certs.settings();
    TlsSettings hasty = withChanges(s, s.clientAuth(), "", s.protocols(), Duration.ofMillis(200));
    try (OpenListener listener = open(hasty)) {
      RawConnection slow = listener.connect();
      slow.send("16 0301 0200 01"); // the beginning of a ClientHello
      assertThat(slow.awaitClose()).isTrue();
      listener.awaitRefused(CloseReason.TLS_FAILED, 1);
    }
  }

  @Test
  void shouldSendDisconnectAndCloseNotifyBeforeClosing() throws Exception {
    Certs certs = new Certs(folder);
    try (OpenListener listener = open(certs.settings());
        RawConnection connection = listener.connect(certs.trusting(null))) {
      connection.send(CONNECT);
      connection.read();
      connection.send("30 80808001" + "00".repeat(1_000)); // 2 MiB announced
      assertThat(connection.read()).startsWith("e0").contains("95");
      assertThat(connection.socket().getInputStream().read()).as("close_notify").isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void shouldResumeTlsSessions(String protocol) throws Exception {
    Certs certs = new Certs(folder);
    TlsSettings optional = withClientAuth(certs, TlsSettings.ClientCertificate.OPTIONAL);
    SSLContext client = certs.trusting(certs.client("again"));
    try (OpenListener listener = open(optional)) {
      for (boolean resumed : new boolean[] {false, true, true}) {
        try (RawConnection connection = listener.connect(client, protocol)) {
          connection.send(CONNECT);
          assertThat(connection.read()).startsWith("20");
          assertThat(OpenListener.take(listener.handshakes)).isEqualTo(resumed);
          assertThat(OpenListener.take(listener.peers).certificate())
              .as("also available after resumption")
              .isNotNull();
          connection.send("e000");
        }
      }
    }
  }

  @Test
  void shouldReloadChangedFilesAndKeepTheOldOnesIfTheNewOnesAreInvalid() throws Exception {
    Certs certs = new Certs(folder);
    TlsSettings settings = withFastReload(certs.settings());
    X509Bundle next = certs.server();
    try (OpenListener listener = open(settings);
        RawConnection old = listener.connect(certs.trusting(null))) {
      final BigInteger first = serial(old);
      certs.certificate("server", next);
      // The key still belongs to the previous certificate.
      assertThat(OpenListener.take(listener.reloads)).isFalse();
      assertThat(serial(listener.connect(certs.trusting(null)))).isEqualTo(first);
      certs.key("server", next);
      assertThat(OpenListener.take(listener.reloads)).isTrue();
      assertThat(serial(listener.connect(certs.trusting(null))))
          .isEqualTo(next.getCertificate().getSerialNumber());
      assertThat(listener.server.certificates())
          .singleElement()
          .satisfies(certificate -> assertThat(certificate.rejection()).isNull());
      Files.delete(Path.of(settings.certFile()));
      assertThat(OpenListener.take(listener.reloads)).isFalse();
      assertThat(listener.server.certificates().get(0).rejection()).contains("no such file");
      assertThat(serial(listener.connect(certs.trusting(null))))
          .isEqualTo(next.getCertificate().getSerialNumber());
      old.send(CONNECT);
      assertThat(old.read()).as("existing connections stay open").startsWith("20");
      assertThat(listener.reloads).as("each error is reported once").isEmpty();
    }
  }

  private static BigInteger serial(RawConnection connection) throws IOException {
    SSLSocket socket = (SSLSocket) connection.socket();
    return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
  }
}
