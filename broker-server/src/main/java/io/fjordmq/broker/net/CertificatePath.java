package io.fjordmq.broker.net;

import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the issuers of a client's certificate, which the TLS library has verified but does
 * not report. The client chooses what it sends besides its certificate, and the library ignores
 * what it does not need. A certificate therefore counts as an issuer only if all signatures from
 * the client's certificate up to a trusted one are valid: an attacker could otherwise hide a
 * revoked issuer behind a forged certificate with the same name, or even the same public key.
 */
final class CertificatePath {
  /** Longer paths than any in use. */
  private static final int MAX_ISSUERS = 10;

  /** Verifying a signature blocks the event loop for a fraction of a millisecond. */
  static final int MAX_VERIFICATIONS = 32;

  private final List<X509Certificate> sent;
  private final List<X509Certificate> trusted;
  private final Deque<X509Certificate> issuers = new ArrayDeque<>();
  private int verifications;

  private CertificatePath(List<X509Certificate> sent, List<X509Certificate> trusted) {
    this.sent = sent;
    this.trusted = trusted;
  }

  /**
   * Returns the issuers of the first certificate, up to a trusted one.
   *
   * @param sent the verified certificate of the client, followed by others in any order
   * @param trusted the certificates that the listener trusts
   * @return empty if the certificate itself is trusted, null if there is no path
   * @throws CertificateException if the client sent so many certificates with the names of issuers
   *     that the search would take too long
   */
  static @Nullable List<X509Certificate> issuers(
      List<X509Certificate> sent, List<X509Certificate> trusted) throws CertificateException {
    CertificatePath path = new CertificatePath(sent, trusted);
    return path.isCompletedFrom(sent.get(0)) ? List.copyOf(path.issuers) : null;
  }

  /** Whether the issuers from this certificate on could be found. */
  private boolean isCompletedFrom(X509Certificate certificate) throws CertificateException {
    return trusted.contains(certificate)
        || issuers.size() < MAX_ISSUERS
            && (isCompletedBy(trusted, certificate) || isCompletedBy(sent, certificate));
  }

  private boolean isCompletedBy(List<X509Certificate> candidates, X509Certificate certificate)
      throws CertificateException {
    for (X509Certificate one : candidates) {
      if (one.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())
          && !one.equals(certificate)
          && !issuers.contains(one)
          && hasSigned(one, certificate)) {
        issuers.addLast(one);
        if (isCompletedFrom(one)) {
          return true;
        }
        issuers.removeLast();
      }
    }
    return false;
  }

  private boolean hasSigned(X509Certificate issuer, X509Certificate certificate)
      throws CertificateException {
    if (++verifications > MAX_VERIFICATIONS) {
      throw new CertificateException(
          "the client sent too many certificates with the names of its issuers");
    }
    try {
      certificate.verify(issuer.getPublicKey());
      return true;
    } catch (GeneralSecurityException | RuntimeException e) {
      return false; // another key, or one that the client has made up
    }
  }
}
