package io.fjordmq.cluster.tls;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * How nodes prove to each other that they belong to the cluster: both ends of every connection show
 * a certificate that the cluster's own authority has signed. Host names in certificates do not
 * matter, because nodes may change their addresses; so the authority must sign for nothing else.
 * {@link ReloadingContext} reads the files again when they change.
 *
 * @param certFile PEM: this node's certificate, then those between it and the authority
 * @param keyFile PEM, PKCS #8, without a password: the certificate's key
 * @param trustFile PEM: the authority's certificate, or several while it is being replaced
 */
public record ClusterTls(Path certFile, Path keyFile, Path trustFile) {

  /**
   * Begins the answering end's context: a client without a certificate of the cluster is refused.
   *
   * @throws FileSystemException if a file cannot be read or holds something else; says which
   */
  public SslContextBuilder answering() throws IOException {
    try {
      return SslContextBuilder.forServer(readable(certFile), readable(keyFile))
          .trustManager(trust())
          .clientAuth(ClientAuth.REQUIRE);
    } catch (IllegalArgumentException e) {
      throw unusable(e);
    }
  }

  /**
   * Begins the asking end's context.
   *
   * @throws FileSystemException if a file cannot be read or holds something else; says which
   */
  public SslContextBuilder asking() throws IOException {
    try {
      return SslContextBuilder.forClient()
          .keyManager(readable(certFile), readable(keyFile))
          .trustManager(trust())
          .endpointIdentificationAlgorithm(null);
    } catch (IllegalArgumentException e) {
      throw unusable(e);
    }
  }

  private static java.io.File readable(Path file) throws FileSystemException {
    if (!Files.isReadable(file)) {
      throw new FileSystemException(
          file.toString(),
          null,
          "the file for TLS between nodes does not exist or is not readable");
    }
    return file.toFile();
  }

  private FileSystemException unusable(IllegalArgumentException cause) {
    FileSystemException failure =
        new FileSystemException(
            certFile.toString(),
            keyFile.toString(),
            "TLS between nodes needs a certificate and its key without a password, both PEM: "
                + (cause.getCause() == null ? cause.getMessage() : cause.getCause().getMessage()));
    failure.initCause(cause);
    return failure;
  }

  private TrustManager trust() throws IOException {
    try (InputStream pem = Files.newInputStream(readable(trustFile).toPath())) {
      Collection<? extends Certificate> authorities =
          CertificateFactory.getInstance("X.509").generateCertificates(pem);
      if (authorities.isEmpty()) {
        throw new FileSystemException(
            trustFile.toString(), null, "the file holds no certificate of the cluster's authority");
      }
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate authority : authorities) {
        store.setCertificateEntry("authority-" + number++, authority);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509TrustManager authority) {
          return new MemberTrust(authority);
        }
      }
      throw new IllegalStateException("the JDK makes no X.509 trust manager");
    } catch (GeneralSecurityException e) {
      FileSystemException failure =
          new FileSystemException(
              trustFile.toString(), null, "not PEM certificates: " + e.getMessage());
      failure.initCause(e);
      throw failure;
    }
  }
}
