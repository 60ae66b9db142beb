package io.fjordmq.broker.net;

import io.fjordmq.broker.net.TlsSettings.ClientCertificate;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * The certificate and private key of a server that is not a listener for MQTT, read from PEM files.
 * Changed files that cannot be used are logged, and the previous contents stay in use. {@link
 * #reloadIfChanged} must not be called concurrently; the other methods are thread-safe.
 */
public final class CertificateFiles {
  private final TlsFilesReload files;

  private CertificateFiles(TlsFilesReload files) {
    this.files = files;
  }

  /**
   * Reads the files.
   *
   * @param section the configuration section of the keys {@code certFile}, {@code keyFile} and
   *     {@code keyPasswordFile}, for messages
   * @param keyPasswordFile empty if the key is not encrypted
   * @throws IllegalStateException if a file cannot be used; the message names the file and its key
   */
  public static CertificateFiles open(
      String section,
      String certFile,
      String keyFile,
      String keyPasswordFile,
      InstantSource clock) {
    TlsSettings settings = settings(certFile, keyFile, keyPasswordFile);
    try {
      return new CertificateFiles(
          TlsFilesReload.open(new TlsFiles.Source(section, settings), clock));
    } catch (TlsFiles.UnusableException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static TlsSettings settings(String certFile, String keyFile, String keyPasswordFile) {
    TlsSettings defaults = TlsSettings.DEFAULTS;
    return new TlsSettings(
        certFile,
        keyFile,
        "",
        keyPasswordFile,
        "",
        ClientCertificate.NONE,
        defaults.protocols(),
        List.of(),
        defaults.handshakeTimeout(),
        defaults.sessionCacheSize(),
        defaults.sessionTimeout(),
        defaults.reloadInterval());
  }

  /** The certificate, followed by its issuing certificates. */
  public List<X509Certificate> chain() {
    return files.files().chain();
  }

  /** The private key of the certificate. */
  public PrivateKey key() {
    return files.files().key();
  }

  /** The expiry time of the certificate. */
  public Instant expiresAt() {
    return files.files().expiresAt();
  }

  /** The certificate in use, and whether its files can be loaded. */
  public CertificateStatus status() {
    return files.status();
  }

  /**
   * Reads files that have changed. Blocks on the disk.
   *
   * @return whether there is a new certificate or key
   */
  public boolean reloadIfChanged() {
    return Boolean.TRUE.equals(files.reloadIfChanged(changed -> {}));
  }
}
