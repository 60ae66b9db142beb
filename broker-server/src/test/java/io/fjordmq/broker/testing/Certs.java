package io.fjordmq.broker.testing;

import io.fjordmq.broker.net.TlsSettings;
import io.fjordmq.testing.RecordBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A certificate authority for a test, and the certificates it issues. Public for other packages.
 */
public final class Certs {
  private static final char[] NO_PASSWORD = {};

  private final Path folder;
  private final X509Bundle authority;

  /**
   * @param folder for the generated files
   */
  public Certs(Path folder) {
    this.folder = folder;
    this.authority =
        build(() -> builder("CN=Test authority").setIsCertificateAuthority(true).buildSelfSigned());
  }

  private interface BundleSupplier {
    X509Bundle get() throws Exception;
  }

  private static X509Bundle build(BundleSupplier making) {
    try {
      return making.get();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Elliptic curves, because their keys are fast to generate. */
  private static CertificateBuilder builder(String subject) {
    return new CertificateBuilder()
        .ecp256()
        .subject(subject)
        .notAfter(Instant.now().plus(Duration.ofDays(90)));
  }

  /** A certificate for 127.0.0.1 and localhost. */
  public X509Bundle server() {
    return build(() -> serverBuilder().buildIssuedBy(authority));
  }

  public X509Bundle serverWithRsaKey() {
    return build(() -> serverBuilder().rsa2048().buildIssuedBy(authority));
  }

  public X509Bundle expiredServer() {
    Instant now = Instant.now();
    return build(
        () ->
            serverBuilder()
                .notBefore(now.minus(Duration.ofDays(2)))
                .notAfter(now.minus(Duration.ofDays(1)))
                .buildIssuedBy(authority));
  }

  public X509Bundle serverFrom(Instant begin) {
    return build(() -> serverBuilder().notBefore(begin).buildIssuedBy(authority));
  }

  private static CertificateBuilder serverBuilder() {
    return builder("CN=broker").addSanDnsName("localhost").addSanIpAddress("127.0.0.1");
  }

  /** A client's certificate. */
  public X509Bundle client(String commonName) {
    return clientWithSubject("CN=" + commonName);
  }

  public X509Bundle clientWithSubject(String subject) {
    return build(() -> builder(subject).buildIssuedBy(authority));
  }

  /** A file with the authority's certificate. */
  public Path authorityFile() {
    return write("authority.pem", authority.getCertificatePEM());
  }

  /** A file with a certificate and those it was signed with. */
  public Path certificate(String name, X509Bundle bundle) {
    return write(name + ".crt", bundle.getCertificatePathPEM());
  }

  /** A file with a private key. */
  public Path key(String name, X509Bundle bundle) {
    return write(name + ".key", bundle.getPrivateKeyPEM());
  }

  public Path write(String name, String content) {
    try {
      return Files.writeString(folder.resolve(name), content);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** TLS settings with a fresh certificate in {@code server.crt} and {@code server.key}. */
  public TlsSettings settings() {
    X509Bundle server = server();
    return settings(certificate("server", server), key("server", server));
  }

  static TlsSettings settings(Path certificate, Path key) {
    return with(TlsSettings.DEFAULTS, certificate.toString(), key.toString(), "", "", "");
  }

  public static TlsSettings with(
      TlsSettings s, String cert, String key, String password, String passwordFile, String trust) {
    return RecordBuilder.from(s)
        .with(TlsSettings::certFile, cert)
        .with(TlsSettings::keyFile, key)
        .with(TlsSettings::keyPassword, password)
        .with(TlsSettings::keyPasswordFile, passwordFile)
        .with(TlsSettings::trustFile, trust)
        .with(
            TlsSettings::clientAuth,
            trust.isEmpty() ? s.clientAuth() : TlsSettings.ClientCertificate.REQUIRED)
        .build();
  }

  /** A client that trusts the authority and has this certificate. */
  public SSLContext trusting(@Nullable X509Bundle client) {
    try {
      KeyManager @Nullable [] keys = client == null ? null : keyManagers(client).getKeyManagers();
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust().getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** For clients that take factories. */
  public TrustManagerFactory trust() {
    return authority.toTrustManagerFactory();
  }

  /** For clients that take factories. */
  public static KeyManagerFactory keyManagers(X509Bundle client) {
    try {
      KeyStore store = client.toKeyStore(NO_PASSWORD);
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, NO_PASSWORD);
      return factory;
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  /** Both protocols, for tests that run with each. */
  static List<String> protocols() {
    return List.of("TLSv1.3", "TLSv1.2");
  }
}
