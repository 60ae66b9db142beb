package io.fjordmq.auth;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * PEM files of an authority, of a server and of a client.
 *
 * @param trust the authority of both
 * @param serverCert for {@code localhost}, but not for {@code 127.0.0.1}
 * @param clientCert for the database user {@code certificate}
 * @param otherTrust another authority
 */
public record TestCertificates(
    Path trust, Path serverCert, Path serverKey, Path clientCert, Path clientKey, Path otherTrust) {

  /** Creates the files, for a server with the name {@code localhost}. */
  public static TestCertificates in(Path folder) throws Exception {
    return in(folder, "localhost");
  }

  /**
   * Creates the files.
   *
   * @param serverName the name in the certificate of the server
   */
  public static TestCertificates in(Path folder, String serverName) throws Exception {
    X509Bundle authority = authority("authority");
    X509Bundle server =
        new CertificateBuilder()
            .algorithm(
                CertificateBuilder.Algorithm
                    .rsa2048) // GnuTLS needs more than the JDK writes for EC
            .subject("CN=" + serverName)
            .addSanDnsName(serverName)
            .buildIssuedBy(authority);
    X509Bundle client = new CertificateBuilder().subject("CN=certificate").buildIssuedBy(authority);
    return new TestCertificates(
        Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM()),
        Files.writeString(folder.resolve("server.pem"), server.getCertificatePathPEM()),
        secret(folder.resolve("server.key"), server.getPrivateKeyPEM()),
        Files.writeString(folder.resolve("client.pem"), client.getCertificatePathPEM()),
        secret(folder.resolve("client.key"), client.getPrivateKeyPEM()),
        Files.writeString(folder.resolve("other.pem"), authority("other").getCertificatePEM()));
  }

  private static X509Bundle authority(String name) throws Exception {
    return new CertificateBuilder()
        .subject("CN=" + name)
        .setIsCertificateAuthority(true)
        .buildSelfSigned();
  }

  /** PostgreSQL refuses a key that others can read. */
  private static Path secret(Path file, String text) throws Exception {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  /** Copies the files of the server to a directory that the server owns. */
  public TestCertificates copyTo(Path folder) throws Exception {
    for (Path file : new Path[] {trust, serverCert, serverKey}) {
      Files.copy(file, folder.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
    }
    return new TestCertificates(
        folder.resolve(trust.getFileName()),
        folder.resolve(serverCert.getFileName()),
        folder.resolve(serverKey.getFileName()),
        clientCert,
        clientKey,
        otherTrust);
  }
}
