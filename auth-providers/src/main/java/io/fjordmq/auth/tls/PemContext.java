package io.fjordmq.auth.tls;

import io.fjordmq.api.auth.ProviderSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.jspecify.annotations.Nullable;

/**
 * The PEM files for TLS connections to a service.
 *
 * @param trust verifies the server; null for the authorities of the JDK
 * @param keys the client's certificate; null for none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record PemContext(TrustManager @Nullable [] trust, KeyManager @Nullable [] keys) {
  private static final long MAX_BYTES = 1 << 20;
  private static final char[] NO_PASSWORD = {};

  /**
   * Reads {@code trustFile}, {@code certFile} and {@code keyFile}.
   *
   * @return null if none of them is set, so that the certificates of the JDK are trusted
   * @throws IllegalArgumentException if a file is invalid; the message begins with its key
   */
  public static @Nullable SSLContext of(ProviderSettings settings) {
    PemContext files = read(settings);
    return files.trust == null && files.keys == null ? null : files.context();
  }

  /**
   * Reads {@code trustFile}, {@code certFile} and {@code keyFile}.
   *
   * @throws IllegalArgumentException if a file is invalid; the message begins with its key
   */
  public static PemContext read(ProviderSettings settings) {
    try {
      return new PemContext(
          settings.isSet("trustFile") ? trust(settings.file("trustFile", MAX_BYTES)) : null,
          settings.isSet("certFile") || settings.isSet("keyFile") ? keys(settings) : null);
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException(
          settings.path() + ".trustFile, certFile or keyFile is invalid: " + e.getMessage(), e);
    }
  }

  /** Returns a context with these certificates and keys. */
  public SSLContext context() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK must provide TLS", e);
    }
  }

  private static TrustManager[] trust(byte[] pem) throws GeneralSecurityException, IOException {
    KeyStore store = emptyStore();
    int number = 0;
    for (Certificate certificate : certificates(pem)) {
      store.setCertificateEntry("trusted-" + number++, certificate);
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static KeyManager[] keys(ProviderSettings settings)
      throws GeneralSecurityException, IOException {
    Certificate[] chain =
        certificates(settings.file("certFile", MAX_BYTES)).toArray(Certificate[]::new);
    PrivateKey key = privateKey(settings.file("keyFile", MAX_BYTES));
    KeyStore store = emptyStore();
    store.setKeyEntry("key", key, NO_PASSWORD, chain);
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NO_PASSWORD);
    return factory.getKeyManagers();
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(byte[] pem)
      throws GeneralSecurityException {
    Collection<? extends Certificate> found =
        CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
    if (found.isEmpty()) {
      throw new GeneralSecurityException("no certificate found");
    }
    return found;
  }

  private static PrivateKey privateKey(byte[] pem) throws GeneralSecurityException, IOException {
    try (PEMParser parser =
        new PEMParser(new StringReader(new String(pem, StandardCharsets.US_ASCII)))) {
      JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
      Object found = parser.readObject();
      while (found != null) {
        if (found instanceof PrivateKeyInfo info) {
          return converter.getPrivateKey(info);
        }
        if (found instanceof PEMKeyPair pair) {
          return converter.getKeyPair(pair).getPrivate();
        }
        found = parser.readObject();
      }
      throw new GeneralSecurityException("no unencrypted private key found");
    }
  }
}
