package io.fjordmq.perf.machine;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;

/**
 * A certificate authority generated for one run, a certificate for the broker, which is stored in
 * files, and one certificate for all clients. Keys are P-256 unless RSA is requested.
 */
public final class GeneratedCertificates {
  private final Path directory;
  private final X509Bundle client;

  /**
   * @param directory for the files
   */
  public GeneratedCertificates(Path directory) throws Exception {
    this(directory, false);
  }

  /**
   * @param directory for the files
   * @param rsa whether the broker's key is RSA (2048) instead of P-256
   */
  public GeneratedCertificates(Path directory, boolean rsa) throws Exception {
    this.directory = directory;
    X509Bundle authority =
        new CertificateBuilder()
            .subject("CN=perf authority")
            .setIsCertificateAuthority(true)
            .ecp256()
            .buildSelfSigned();
    CertificateBuilder builder =
        new CertificateBuilder().subject("CN=localhost").addSanDnsName("localhost");
    X509Bundle server = (rsa ? builder.rsa2048() : builder.ecp256()).buildIssuedBy(authority);
    client = new CertificateBuilder().subject("CN=perf client").ecp256().buildIssuedBy(authority);
    Files.createDirectories(directory);
    Files.writeString(trustFile(), authority.getCertificatePEM());
    Files.writeString(certificateFile(), server.getCertificatePEM());
    Files.writeString(keyFile(), server.getPrivateKeyPEM());
  }

  /** Returns the certificate file of the authority. */
  public Path trustFile() {
    return directory.resolve("authority.crt");
  }

  /** Returns the certificate file of the broker. */
  public Path certificateFile() {
    return directory.resolve("server.crt");
  }

  /** Returns the key file of the broker. */
  public Path keyFile() {
    return directory.resolve("server.key");
  }

  /**
   * Returns the TLS context of clients. They trust any broker and keep no TLS sessions, so that
   * each handshake is a full one.
   *
   * @param mutual whether clients have a certificate
   */
  public SslContext clients(boolean mutual) throws SSLException {
    SslContextBuilder builder = builder();
    if (mutual) {
      X509Certificate[] path = client.getCertificatePath();
      builder.keyManager(client.getKeyPair().getPrivate(), path);
    }
    return builder.build();
  }

  /** Returns the TLS context of clients without a certificate. */
  public static SslContext withoutCertificate() throws SSLException {
    return builder().build();
  }

  /** Returns the TLS context of clients with an existing certificate. */
  public static SslContext clients(Path certificate, Path key) throws IOException {
    return builder().keyManager(certificate.toFile(), key.toFile()).build();
  }

  private static SslContextBuilder builder() {
    return SslContextBuilder.forClient()
        .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
        .trustManager(InsecureTrustManagerFactory.INSTANCE)
        .endpointIdentificationAlgorithm(null);
  }
}
