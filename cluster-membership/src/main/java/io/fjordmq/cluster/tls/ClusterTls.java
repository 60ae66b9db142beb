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
 * Files for mutual TLS between nodes. Both ends of every connection present a certificate signed by
 * the cluster's own certificate authority (CA). Host names in certificates are not checked, because
 * nodes can change their addresses; therefore the CA must not sign certificates for anything else.
 * {@link ReloadingContext} reloads the files when they change.
 *
 * @param certFile PEM: this node's certificate, followed by the intermediate certificates
 * @param keyFile PEM, PKCS #8, unencrypted: the private key of the certificate
 * @param trustFile PEM: the CA certificate, or several while it is being replaced
 */
public record ClusterTls(Path certFile, Path keyFile, Path trustFile) {

  /**
   * Creates a builder for the server side. Clients without a certificate of the cluster are
   * refused.
   *
   * @throws FileSystemException if a file cannot be read or is invalid; the message names it
   */
  public SslContextBuilder serverContext() throws IOException {
    try {
      return SslContextBuilder.forServer(requireReadable(certFile), requireReadable(keyFile))
          .trustManager(trust())
          .clientAuth(ClientAuth.REQUIRE);
    } catch (IllegalArgumentException e) {
      throw unusable(e);
    }
  }

  /**
   * Creates a builder for the client side.
   *
   * @throws FileSystemException if a file cannot be read or is invalid; the message names it
   */
  public SslContextBuilder clientContext() throws IOException {
    try {
      return SslContextBuilder.forClient()
          .keyManager(requireReadable(certFile), requireReadable(keyFile))
          .trustManager(trust())
          .endpointIdentificationAlgorithm(null);
    } catch (IllegalArgumentException e) {
      throw unusable(e);
    }
  }

  private static java.io.File requireReadable(Path file) throws FileSystemException {
    if (!Files.isReadable(file)) {
      throw new FileSystemException(
          file.toString(),
          null,
          "the file for TLS between nodes does not exist or cannot be read; correct the path or"
              + " its permissions");
    }
    return file.toFile();
  }

  private FileSystemException unusable(IllegalArgumentException cause) {
    FileSystemException failure =
        new FileSystemException(
            certFile.toString(),
            keyFile.toString(),
            "TLS between nodes needs a PEM certificate and its unencrypted PEM key (PKCS #8): "
                + (cause.getCause() == null ? cause.getMessage() : cause.getCause().getMessage()));
    failure.initCause(cause);
    return failure;
  }

  private TrustManager trust() throws IOException {
    try (InputStream pem = Files.newInputStream(requireReadable(trustFile).toPath())) {
      Collection<? extends Certificate> authorities =
          CertificateFactory.getInstance("X.509").generateCertificates(pem);
      if (authorities.isEmpty()) {
        throw new FileSystemException(
            trustFile.toString(),
            null,
            "the file contains no certificate of a certificate authority (CA)");
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
      throw new IllegalStateException("the JDK provides no X.509 trust manager");
    } catch (GeneralSecurityException e) {
      FileSystemException failure =
          new FileSystemException(
              trustFile.toString(),
              null,
              "the file does not contain PEM certificates: " + e.getMessage());
      failure.initCause(e);
      throw failure;
    }
  }
}
