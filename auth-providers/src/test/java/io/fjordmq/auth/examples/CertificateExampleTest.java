package io.fjordmq.auth.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.testing.DocumentedSection;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The configuration of x509 in docs/AUTHENTICATION.md works as it is, with an ACL file. */
@Tag("slow")
class CertificateExampleTest {
  @TempDir Path folder;

  private final X509Bundle authority = certificate("CN=authority").buildSelfSigned();

  CertificateExampleTest() throws Exception {}

  private static CertificateBuilder certificate(String subject) {
    return new CertificateBuilder()
        .subject(subject)
        .setIsCertificateAuthority(subject.equals("CN=authority"));
  }

  @Test
  void shouldRunTheExample() throws Exception {
    String rules =
        DocumentedSection.of("AUTHENTICATION.md", "passwordFile and aclFile").example("yaml", 0);
    String yaml =
        DocumentedSection.of("AUTHENTICATION.md", "x509").example("yaml", 0)
            + rules.substring(rules.indexOf("  authorization:"));
    Files.writeString(
        ExampleNode.conf(folder).resolve("acl"), "user meter-1.example.com\ntopic site/#\n");
    try (ExampleNode node = ExampleNode.start(folder, yaml, listener())) {
      X509Bundle meter =
          certificate("CN=m").addSanDnsName("meter-1.example.com").buildIssuedBy(authority);
      try (MqttProbe client = connect(node, meter)) {
        assertThat(client.loginCode()).isZero();
        assertThat(client.mayPublish("site/1")).isTrue();
        assertThat(client.mayPublish("other")).isFalse();
        assertThat(client.maySubscribe("other/#")).isFalse();
      }
      try (MqttProbe nameless = connect(node, certificate("CN=m").buildIssuedBy(authority))) {
        assertThat(nameless.loginCode()).isEqualTo(0x87);
      }
      assertThatThrownBy(() -> connect(node, null)).isInstanceOf(IOException.class);
    }
  }

  private String listener() throws Exception {
    X509Bundle server =
        certificate("CN=localhost").addSanDnsName("localhost").buildIssuedBy(authority);
    Path trust = Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM());
    Path chain = Files.writeString(folder.resolve("server.pem"), server.getCertificatePathPEM());
    Path key = Files.writeString(folder.resolve("server.key"), server.getPrivateKeyPEM());
    return """
          tlsListener:
            host: 127.0.0.1
            port: 0
            maxConnections: 10
            certFile: %s
            keyFile: %s
            trustFile: %s
            clientAuth: required
        """
        .formatted(chain, key, trust);
  }

  private static MqttProbe connect(ExampleNode node, @Nullable X509Bundle client) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        client == null ? null : client.toKeyManagerFactory().getKeyManagers(),
        InsecureTrustManagerFactory.INSTANCE.getTrustManagers(),
        null);
    Socket socket =
        context
            .getSocketFactory()
            .createSocket(InetAddress.getLoopbackAddress(), node.port("tlsListener"));
    return new MqttProbe(socket, "c1", null, null);
  }
}
