package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.net.OpenListener;
import io.fjordmq.broker.net.OpenListener.RawConnection;
import io.fjordmq.broker.net.TlsSettings;
import io.fjordmq.broker.testing.Certs;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.netty.pkitesting.X509Bundle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests {@code securityConfig.useCommonNameAsUsername} on a listener with an optional client
 * certificate.
 */
@Tag("slow")
@ExtendWith(LeakDetector.class)
class CertificateUserTest {
  private static final String NO_MATCHING_SUBSCRIBERS = "10";
  private static final String NOT_AUTHORIZED = "87";

  @TempDir Path folder;
  private Certs certs;

  @BeforeEach
  void createCerts() {
    certs = new Certs(folder);
  }

  private Security security() throws Exception {
    Path acl =
        Files.writeString(
            folder.resolve("acl"), "pattern write of/%u/#\nuser device-7\ntopic write named\n");
    return TestSecurity.of(
        TestSettings.with("useCommonNameAsUsername", true, "aclFile", acl.toString()),
        SecurityObserver.NONE);
  }

  private OpenListener open(Security security) {
    TlsSettings tls = certs.settings();
    TlsSettings required =
        Certs.with(tls, tls.certFile(), tls.keyFile(), "", "", certs.authorityFile().toString());
    TlsSettings optional =
        Settings.with(required, "clientAuth", TlsSettings.ClientCertificate.OPTIONAL);
    return new OpenListener(SessionSettings.defaults(), security, OpenListener.tls(optional));
  }

  private static String encodeText(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits((short) bytes.length) + hex.formatHex(bytes);
  }

  private static String encodePacket(int first, String body) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits((byte) first) + hex.toHexDigits((byte) (body.length() / 2)) + body;
  }

  /**
   * Sends a CONNECT and returns the code of the CONNACK.
   *
   * @param user empty for neither user name nor password
   */
  private static String login(RawConnection connection, int version, String user) throws Exception {
    HexFormat hex = HexFormat.of();
    String flags = user.isEmpty() ? "02" : "c2";
    String head = encodeText("MQTT") + hex.toHexDigits((byte) version) + flags + "003c";
    String credentials = user.isEmpty() ? "" : encodeText(user) + encodeText("password");
    connection.send(
        encodePacket(0x10, head + (version == 5 ? "00" : "") + encodeText("c") + credentials));
    String answer = connection.read();
    assertThat(answer).startsWith("20");
    return answer.substring(6, 8);
  }

  /** Publishes with QoS 1 and returns the reason code of the PUBACK. */
  private static String publish(RawConnection connection, String topic) throws Exception {
    connection.send(encodePacket(0x32, encodeText(topic) + "000100"));
    String answer = connection.read();
    assertThat(answer).startsWith("40").hasSizeGreaterThan(8);
    return answer.substring(8, 10);
  }

  @ParameterizedTest(name = "{0}, user name of the CONNECT: ''{1}''")
  @CsvSource({"TLSv1.3, ''", "TLSv1.2, ''", "TLSv1.3, device-8"})
  void shouldUseTheCommonNameInsteadOfTheUserNameOfTheClient(String protocol, String userName)
      throws Exception {
    try (Security security = security();
        OpenListener listener = open(security);
        RawConnection connection =
            listener.connect(certs.trusting(certs.client("device-7")), protocol)) {
      assertThat(login(connection, 5, userName)).isEqualTo("00");
      assertThat(publish(connection, "of/device-7/x")).isEqualTo(NO_MATCHING_SUBSCRIBERS);
      assertThat(publish(connection, "named")).isEqualTo(NO_MATCHING_SUBSCRIBERS);
      assertThat(publish(connection, "of/device-8/x")).isEqualTo(NOT_AUTHORIZED);
      assertThat(publish(connection, "of/c/x")).isEqualTo(NOT_AUTHORIZED);
    }
  }

  @Test
  void shouldGrantEachClientTheRightsOfItsCertificate() throws Exception {
    try (Security security = security();
        OpenListener listener = open(security);
        RawConnection connection = listener.connect(certs.trusting(certs.client("device-8")))) {
      assertThat(login(connection, 5, "device-7")).isEqualTo("00");
      assertThat(publish(connection, "of/device-8/x")).isEqualTo(NO_MATCHING_SUBSCRIBERS);
      assertThat(publish(connection, "named")).isEqualTo(NOT_AUTHORIZED);
    }
  }

  @ParameterizedTest(name = "MQTT level {0}, user name ''{1}'': {2}")
  @CsvSource({"5, '', 87", "5, device-7, 86", "4, '', 05", "4, device-7, 04"})
  void shouldRefuseAClientWithoutACertificate(int version, String user, String code)
      throws Exception {
    assertRefused(null, version, user, code);
  }

  @ParameterizedTest
  @ValueSource(strings = {"O=plant", "O=plant,OU=device-7"})
  void shouldRefuseACertificateWithoutACommonName(String subject) throws Exception {
    assertRefused(certs.clientWithSubject(subject), 5, "", NOT_AUTHORIZED);
  }

  private void assertRefused(@Nullable X509Bundle proof, int version, String user, String code)
      throws Exception {
    try (Security security = security();
        OpenListener listener = open(security);
        RawConnection connection = listener.connect(certs.trusting(proof))) {
      assertThat(login(connection, version, user)).isEqualTo(code);
      assertThat(connection.awaitClose()).isTrue();
      assertThat(listener.peers).isEmpty();
    }
  }
}
