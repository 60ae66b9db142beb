package io.fjordmq.perf;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLException;

/** TLS settings for broker and clients of a benchmark. */
public final class TlsSetup {
  private TlsSetup() {}

  public static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /**
   * The configuration of a listener with a generated certificate.
   *
   * @param keyType {@code rsa} (2048) or {@code ec} (P-256)
   */
  public static String listener(Path directory, int port, String keyType) throws Exception {
    CertificateBuilder builder =
        new CertificateBuilder().subject("CN=localhost").setIsCertificateAuthority(true);
    X509Bundle bundle =
        (keyType.equals("rsa") ? builder.rsa2048() : builder.ecp256()).buildSelfSigned();
    Files.createDirectories(directory);
    Path certificate = directory.resolve("server.crt");
    Path key = directory.resolve("server.key");
    Files.writeString(certificate, bundle.getCertificatePEM());
    Files.writeString(key, bundle.getPrivateKeyPEM());
    return """
      tlsListener:
        host: 127.0.0.1
        port: %d
        certFile: %s
        keyFile: %s
    """
        .formatted(port, certificate, key);
  }

  /** For clients that keep no sessions, with the library that needs the least CPU on this host. */
  public static SslContext client() throws SSLException {
    return SslContextBuilder.forClient()
        .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
        .trustManager(InsecureTrustManagerFactory.INSTANCE)
        .endpointIdentificationAlgorithm(null)
        .build();
  }
}
