package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.testing.TestAuthority;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificatePathTest {
  private final TestAuthority root = new TestAuthority("Root");
  private final TestAuthority intermediate = root.subordinate("Intermediate");
  private final X509Certificate device = intermediate.issue("device").certificate();

  @Test
  void shouldFindTheIssuersUpToATrustedOne() throws Exception {
    X509Certificate direct = root.issue("direct").certificate();
    assertThat(CertificatePath.issuers(List.of(direct), List.of(root.certificate())))
        .containsExactly(root.certificate());
    // The client may send its issuers in any order, with others.
    X509Certificate other = new TestAuthority("Other").certificate();
    assertThat(
            CertificatePath.issuers(
                List.of(device, other, root.certificate(), intermediate.certificate()),
                List.of(other, root.certificate())))
        .containsExactly(intermediate.certificate(), root.certificate());
  }

  @Test
  void shouldEndAtTheFirstTrustedCertificate() throws Exception {
    List<X509Certificate> both = List.of(root.certificate(), intermediate.certificate());
    assertThat(CertificatePath.issuers(List.of(device), both))
        .containsExactly(intermediate.certificate());
    assertThat(CertificatePath.issuers(List.of(device), List.of(device))).isEmpty();
  }

  @Test
  void shouldTellAuthoritiesWithTheSameNameApart() throws Exception {
    X509Certificate renewed = new TestAuthority("Root").certificate();
    X509Certificate direct = root.issue("direct").certificate();
    assertThat(CertificatePath.issuers(List.of(direct), List.of(renewed, root.certificate())))
        .containsExactly(root.certificate());
  }

  @Test
  void shouldNotInventAPath() throws Exception {
    assertThat(CertificatePath.issuers(List.of(device), List.of(root.certificate()))).isNull();
    assertThat(CertificatePath.issuers(List.of(device), List.of())).isNull();
    X509Certificate selfSigned = new TestAuthority("Alone").certificate();
    assertThat(CertificatePath.issuers(List.of(selfSigned), List.of(root.certificate()))).isNull();
  }

  @Test
  void shouldIgnoreForgedIssuers() throws Exception {
    // The forged certificate has the name and the key of the real one, so that the signature of the
    // device's certificate is valid. An attacker would choose its serial number and its responder.
    X509Certificate forged = intermediate.forged("Intermediate", "http://127.0.0.1:1/attacker");
    device.verify(forged.getPublicKey());
    assertThat(
            CertificatePath.issuers(
                List.of(device, forged, intermediate.certificate()), List.of(root.certificate())))
        .containsExactly(intermediate.certificate(), root.certificate());
    assertThat(CertificatePath.issuers(List.of(device, forged), List.of(root.certificate())))
        .isNull();
    X509Certificate direct = root.issue("direct").certificate();
    X509Certificate other = new TestAuthority("Root").certificate();
    assertThat(CertificatePath.issuers(List.of(direct), List.of(other))).isNull();
  }

  @Test
  void shouldVerifyABoundedNumberOfSignatures() {
    List<X509Certificate> sent = new ArrayList<>(List.of(device));
    for (int i = 0; i <= CertificatePath.MAX_VERIFICATIONS; i++) {
      sent.add(new TestAuthority("Intermediate").certificate());
    }
    sent.add(intermediate.certificate());
    assertThatThrownBy(() -> CertificatePath.issuers(sent, List.of(root.certificate())))
        .isInstanceOf(CertificateException.class)
        .hasMessageContaining("too many certificates");
  }
}
