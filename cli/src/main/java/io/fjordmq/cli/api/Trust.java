package io.fjordmq.cli.api;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Creates TLS contexts that decide which certificates of nodes to trust. */
public final class Trust {
  private Trust() {}

  /**
   * Accepts every certificate. Only for a port of this host whose address comes from a file that
   * only the owner of the node can write. Connections to it do not leave the host, and its
   * certificate names the addresses that clients use.
   */
  static SSLContext thisHost() {
    return context(new AnyCertificate());
  }

  /**
   * Trusts the certificates in a file and those that they have issued. The name in the certificate
   * of a node must match its URL.
   *
   * @throws IOException if the file cannot be read; the message says why
   */
  public static SSLContext authorities(Path file) throws IOException {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate certificate : read(Files.readAllBytes(file))) {
        store.setCertificateEntry(String.valueOf(number++), certificate);
      }
      if (number == 0) {
        throw new IOException(file + " contains no certificate");
      }
      TrustManagerFactory trusted =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trusted.init(store);
      return context(trusted.getTrustManagers());
    } catch (NoSuchFileException e) {
      throw new IOException("file not found: " + file, e);
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " is not a file of PEM certificates: " + e.getMessage(), e);
    }
  }

  private static Collection<? extends Certificate> read(byte[] pem) throws CertificateException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(pem));
  }

  private static SSLContext context(TrustManager... trusted) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trusted, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK does not support TLS", e);
    }
  }

  /** Accepts any host name as well, which requires an extended trust manager. */
  private static final class AnyCertificate extends X509ExtendedTrustManager {
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      throw new CertificateException("this trust manager does not check client certificates");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      throw new CertificateException("this trust manager does not check client certificates");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      throw new CertificateException("this trust manager does not check client certificates");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
