package io.fjordmq.broker.net;

import java.time.Duration;
import java.util.List;

/**
 * TLS settings of a listener. All files are PEM.
 *
 * @param certFile the listener's certificate, followed by its issuing certificates
 * @param keyFile the private key of the certificate: PKCS#8, PKCS#1 or SEC 1
 * @param keyPassword password of the key if it is encrypted
 * @param keyPasswordFile file whose first line is the password of the key
 * @param trustFile CA certificates that clients' certificates must chain to
 * @param clientAuth whether clients must present a certificate
 * @param protocols enabled protocol versions: TLSv1.3, TLSv1.2 or both
 * @param ciphers enabled cipher suites by their standard names; empty for those of Mozilla's
 *     intermediate profile
 * @param handshakeTimeout maximum duration of a handshake
 * @param sessionCacheSize number of TLS 1.2 sessions cached for clients that do not use session
 *     tickets
 * @param sessionTimeout how long a client may resume a session instead of performing a full
 *     handshake
 * @param reloadInterval interval between checks for changed files
 */
public record TlsSettings(
    String certFile,
    String keyFile,
    String keyPassword,
    String keyPasswordFile,
    String trustFile,
    ClientCertificate clientAuth,
    List<String> protocols,
    List<String> ciphers,
    Duration handshakeTimeout,
    int sessionCacheSize,
    Duration sessionTimeout,
    Duration reloadInterval) {
  public static final TlsSettings DEFAULTS =
      new TlsSettings(
          "",
          "",
          "",
          "",
          "",
          ClientCertificate.NONE,
          List.of("TLSv1.3", "TLSv1.2"),
          List.of(),
          Duration.ofSeconds(10),
          20_000,
          Duration.ofHours(1),
          Duration.ofSeconds(10));

  /** Whether clients must authenticate with a certificate. */
  public enum ClientCertificate {
    /** No client certificate is requested. */
    NONE,
    /** Clients may send a certificate; an invalid certificate fails the handshake. */
    OPTIONAL,
    /** Clients must send a certificate. */
    REQUIRED
  }

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public TlsSettings {
    protocols = List.copyOf(protocols);
    ciphers = List.copyOf(ciphers);
    require(
        !protocols.isEmpty() && List.of("TLSv1.3", "TLSv1.2").containsAll(protocols),
        "protocols must be TLSv1.3 and TLSv1.2, or one of them, not " + protocols);
    require(
        keyPassword.isEmpty() || keyPasswordFile.isEmpty(),
        "keyPassword and keyPasswordFile must not both be set");
    require(
        clientAuth == ClientCertificate.NONE || !trustFile.isEmpty(),
        "clientAuth requires trustFile, the CA certificates that client certificates must chain"
            + " to");
    require(
        clientAuth != ClientCertificate.NONE || trustFile.isEmpty(),
        "trustFile has no effect while clientAuth is none; set clientAuth to optional or required");
    require(
        handshakeTimeout.toMillis() >= 100,
        "handshakeTimeout must be at least 100 ms, not " + handshakeTimeout.toMillis() + " ms");
    require(sessionCacheSize >= 1, "sessionCacheSize must be at least 1, not " + sessionCacheSize);
    require(
        sessionTimeout.toSeconds() >= 1 && sessionTimeout.toDays() <= 7,
        "sessionTimeout must be between 1 s and 7 d, not " + sessionTimeout.toSeconds() + " s");
    require(
        reloadInterval.toMillis() >= 100,
        "reloadInterval must be at least 100 ms, not " + reloadInterval.toMillis() + " ms");
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
