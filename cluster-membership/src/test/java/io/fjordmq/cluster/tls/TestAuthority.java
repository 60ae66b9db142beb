package io.fjordmq.cluster.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** A certificate authority of a cluster, for tests. */
public final class TestAuthority {
  private final Path folder;
  private final X509Bundle authority;

  /**
   * @param folder directory for the files; one authority per directory
   */
  public TestAuthority(Path folder) throws Exception {
    this.folder = Files.createDirectories(folder);
    this.authority =
        builder("CN=Authority in " + folder.getFileName())
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    Files.writeString(folder.resolve("trust.pem"), authority.getCertificatePEM());
  }

  /** Elliptic curve keys are fast to generate. */
  private static CertificateBuilder builder(String subject) {
    return new CertificateBuilder()
        .ecp256()
        .subject(subject)
        .notAfter(Instant.now().plus(Duration.ofDays(90)));
  }

  /** Files of a node whose certificate contains no host name. */
  public ClusterTls node(String name) throws Exception {
    X509Bundle made = builder("CN=" + name).buildIssuedBy(authority);
    Path cert = folder.resolve(name + ".crt");
    Path key = folder.resolve(name + ".key");
    Files.writeString(cert, made.getCertificatePEM());
    Files.writeString(key, made.getPrivateKeyPEM());
    return new ClusterTls(cert, key, folder.resolve("trust.pem"));
  }

  /** Files of a node with a certificate of another authority that trusts this one. */
  public ClusterTls nodeCertifiedBy(TestAuthority other, String name) throws Exception {
    ClusterTls theirs = other.node(name);
    return new ClusterTls(theirs.certFile(), theirs.keyFile(), folder.resolve("trust.pem"));
  }
}
