package io.fjordmq.broker.revocation;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CRL;
import java.security.cert.CRLReason;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.IssuingDistributionPoint;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.jspecify.annotations.Nullable;

/** A certificate revocation list. Thread-safe. */
final class Crl {
  private static final int CRL_SIGN = 6;
  private static final int NO_AUTHORITY = -1;
  private static final String DISTRIBUTION_POINT = Extension.issuingDistributionPoint.getId();

  /** The kinds of certificates that a list covers. */
  private enum Scope {
    ALL,
    USERS,
    AUTHORITIES
  }

  private final String file;
  private final X509CRL list;
  private final Scope scope;
  // Verifying a signature takes longer than all else, and the issuer rarely changes.
  private volatile @Nullable PublicKey signer;
  private volatile @Nullable PublicKey stranger;

  private Crl(String file, X509CRL list, Scope scope) {
    this.file = file;
    this.list = list;
    this.scope = scope;
  }

  /**
   * Parses a file with one or several lists in PEM format, or one in DER format.
   *
   * @param file the path, for messages
   * @throws IOException if the file contains something else, or a list that is not supported
   */
  static List<Crl> parse(String file, byte[] content) throws IOException {
    List<Crl> lists = new ArrayList<>();
    try {
      for (CRL parsed :
          CertificateFactory.getInstance("X.509").generateCRLs(new ByteArrayInputStream(content))) {
        X509CRL list = (X509CRL) parsed;
        lists.add(new Crl(file, list, scopeOf(list)));
      }
    } catch (GeneralSecurityException | IOException | RuntimeException e) {
      throw new IOException(file + ": invalid certificate revocation list: " + e.getMessage(), e);
    }
    if (lists.isEmpty()) {
      throw new IOException(file + ": contains no certificate revocation list");
    }
    return lists;
  }

  /** A list that covers only some certificates says so in a critical extension. */
  private static Scope scopeOf(X509CRL list) throws IOException {
    Set<String> critical = list.getCriticalExtensionOIDs();
    for (String oid : critical == null ? Set.<String>of() : critical) {
      if (!oid.equals(DISTRIBUTION_POINT)) {
        throw new IOException(
            oid.equals(Extension.deltaCRLIndicator.getId())
                ? "delta lists are not supported; use complete lists"
                : "unknown critical extension " + oid);
      }
    }
    byte[] extension = list.getExtensionValue(DISTRIBUTION_POINT);
    if (extension == null) {
      return Scope.ALL;
    }
    IssuingDistributionPoint point =
        IssuingDistributionPoint.getInstance(JcaX509ExtensionUtils.parseExtensionValue(extension));
    if (point.isIndirectCRL()
        || point.onlyContainsAttributeCerts()
        || point.getOnlySomeReasons() != null
        || point.getDistributionPoint() != null) {
      throw new IOException(
          "indirect lists, and lists limited to a distribution point or to some revocation reasons,"
              + " are not supported; use complete lists");
    }
    return point.onlyContainsUserCerts()
        ? Scope.USERS
        : point.onlyContainsCACerts() ? Scope.AUTHORITIES : Scope.ALL;
  }

  X500Principal issuer() {
    return list.getIssuerX500Principal();
  }

  /** The file that contains the list. */
  String file() {
    return file;
  }

  Instant thisUpdate() {
    return list.getThisUpdate().toInstant();
  }

  /** When the next list is due; null if the list does not say so. */
  @Nullable Instant nextUpdate() {
    return list.getNextUpdate() == null ? null : list.getNextUpdate().toInstant();
  }

  /** Whether this is a newer list for the same certificates as another one of its issuer. */
  boolean replaces(Crl other) {
    return scope == other.scope && thisUpdate().isAfter(other.thisUpdate());
  }

  boolean covers(X509Certificate certificate) {
    boolean authority = certificate.getBasicConstraints() != NO_AUTHORITY;
    return switch (scope) {
      case ALL -> true;
      case USERS -> !authority;
      case AUTHORITIES -> authority;
    };
  }

  /** Whether the issuer has signed the list and may sign lists. */
  boolean isSignedBy(X509Certificate authority) {
    boolean[] usage = authority.getKeyUsage();
    if (usage != null && !usage[CRL_SIGN]) {
      return false;
    }
    PublicKey key = authority.getPublicKey();
    if (key.equals(signer)) {
      return true;
    }
    if (key.equals(stranger)) {
      return false;
    }
    try {
      list.verify(key);
      signer = key;
      return true;
    } catch (GeneralSecurityException e) {
      stranger = key;
      return false;
    }
  }

  /** Returns when and why the certificate was revoked; null if it is not in the list. */
  @Nullable String revocationOf(X509Certificate certificate) {
    X509CRLEntry entry = list.getRevokedCertificate(certificate.getSerialNumber());
    if (entry == null || entry.getRevocationReason() == CRLReason.REMOVE_FROM_CRL) {
      return null;
    }
    CRLReason reason = entry.getRevocationReason();
    return "revoked at "
        + entry.getRevocationDate().toInstant()
        + (reason == null ? "" : " (" + CrlReasons.text(reason.ordinal()) + ")");
  }
}
