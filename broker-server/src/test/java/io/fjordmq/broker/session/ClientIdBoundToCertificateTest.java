package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.limits.ClientIdBinding;
import io.fjordmq.broker.net.OpenListener;
import io.fjordmq.broker.net.OpenListener.RawConnection;
import io.fjordmq.broker.net.TlsSettings;
import io.fjordmq.broker.security.TestSecurity;
import io.fjordmq.broker.testing.Certs;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code bindClientIdTo: certificate}: a session belongs to the subject of a certificate. */
class ClientIdBoundToCertificateTest {
  /** The user name is the same for all, so that only the certificates differ. */
  private static final Authenticator SAME_USER =
      attempt -> new Authentication.Allow(new Identity("t", "user", null, Map.of())).now();

  private final TestCluster cluster =
      new TestCluster(2, TestSecurity.of(SAME_USER), ClientIdBinding.CERTIFICATE);

  /** Client identifier "c", Clean Start 0, Session Expiry Interval 1,000 s. */
  private static final String CONNECT = "10 13 0004 4d515454 05 00 003c 05 11 000003e8 0001 63";

  @TempDir Path folder;
  private Certs certs;
  private X509Certificate alice;
  private X509Certificate renewed;
  private X509Certificate bob;

  @BeforeEach
  void issueCertificates() {
    certs = new Certs(folder);
    alice = certs.client("alice").getCertificate();
    renewed = certs.client("alice").getCertificate();
    bob = certs.client("bob").getCertificate();
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private TestClient connect(int node, @Nullable X509Certificate certificate, boolean clean) {
    return cluster.node(node).open(certificate).connect5("c", clean, 1_000);
  }

  /** Creates an offline session of alice with a subscription and one queued message. */
  private void createOfflineSession() {
    TestClient client = connect(0, alice, false);
    client.expect("CONNACK 0");
    client.subscribe(1, "a", 1).expect("SUBACK 1 [1]");
    client.disconnect();
    cluster.node(0).connect("p").publish(1, 1, "a", "m").expect("PUBACK 1");
  }

  @ParameterizedTest(name = "at node {0}, clean start {1}")
  @CsvSource({"0, false", "0, true", "1, false", "1, true"})
  void shouldRefuseAnotherCertificateOrNoCertificate(int node, boolean clean) {
    createOfflineSession();
    connect(node, bob, clean).expect("CONNACK 85");
    connect(node, null, clean).expect("CONNACK 85");
    connect(node, alice, false).expect("CONNACK 0 present", "PUBLISH q1 id=1 a m");
  }

  @ParameterizedTest(name = "at node {0}")
  @ValueSource(ints = {0, 1})
  void shouldNotCloseTheConnectionOfTheOwner(int node) {
    TestClient client = connect(0, alice, true);
    client.expect("CONNACK 0");
    connect(node, bob, true).expect("CONNACK 85");
    connect(node, null, true).expect("CONNACK 85");
    client.subscribe(1, "a", 1).expect("SUBACK 1 [1]");
  }

  @ParameterizedTest(name = "at node {0}")
  @ValueSource(ints = {0, 1})
  void shouldAcceptARenewedCertificateOfTheSameSubject(int node) {
    createOfflineSession();
    connect(node, renewed, false).expect("CONNACK 0 present", "PUBLISH q1 id=1 a m");
  }

  @ParameterizedTest(name = "at node {0}")
  @ValueSource(ints = {0, 1})
  void shouldTreatAllClientsWithoutACertificateAsOneUser(int node) {
    connect(0, null, false).disconnect();
    connect(node, alice, true).expect("CONNACK 85");
    connect(node, null, false).expect("CONNACK 0 present");
  }

  @Test
  void shouldReleaseTheClientIdAfterTheSessionEnds() {
    cluster.node(0).open(alice).connect5("c", true, 0).disconnect();
    connect(1, bob, true).expect("CONNACK 0");
  }

  /** Opens a TLS listener for clients with and without a certificate. */
  private OpenListener openTlsListener() {
    TlsSettings tls = certs.settings();
    String authority = certs.authorityFile().toString();
    TlsSettings trusting = Certs.with(tls, tls.certFile(), tls.keyFile(), "", "", authority);
    return new OpenListener(
        Settings.with("bindClientIdTo", ClientIdBinding.CERTIFICATE),
        TestSecurity.of(SAME_USER),
        OpenListener.tls(
            Settings.with(trusting, "clientAuth", TlsSettings.ClientCertificate.OPTIONAL)));
  }

  private RawConnection open(OpenListener listener, @Nullable String commonName)
      throws IOException {
    return listener.connect(certs.trusting(commonName == null ? null : certs.client(commonName)));
  }

  /** Sends a CONNECT and returns the reason code of the CONNACK. */
  private static String connect(RawConnection connection) throws IOException {
    connection.send(CONNECT);
    String answer = connection.read();
    assertThat(answer).startsWith("20");
    return answer.substring(6, 8);
  }

  @Test
  void shouldIdentifyTheOwnerByTheTlsClientCertificate() throws Exception {
    try (OpenListener listener = openTlsListener();
        RawConnection owner = open(listener, "alice");
        RawConnection other = open(listener, "bob");
        RawConnection nobody = open(listener, null);
        RawConnection renewedOwner = open(listener, "alice")) {
      assertThat(connect(owner)).isEqualTo("00");
      assertThat(connect(other)).isEqualTo("85");
      assertThat(connect(nobody)).isEqualTo("85");
      owner.send(OpenListener.PING);
      assertThat(owner.read()).isEqualTo(OpenListener.PONG);
      assertThat(connect(renewedOwner)).isEqualTo("00");
      assertThat(owner.awaitClose()).as("taken over").isTrue();
    }
  }
}
