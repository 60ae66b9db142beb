package io.fjordmq.broker.revocation;

import io.fjordmq.broker.revocation.OcspSettings.Nonce;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.ocsp.OCSPObjectIdentifiers;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.bouncycastle.cert.ocsp.OCSPReqBuilder;
import org.bouncycastle.operator.DigestCalculatorProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A request about one certificate (RFC 6960).
 *
 * @param certificate the certificate
 * @param issuer its issuer
 * @param nonce random bytes that the response should repeat; null for none
 * @param encoded the request in DER format
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
record OcspRequest(
    X509CertificateHolder certificate,
    X509CertificateHolder issuer,
    byte @Nullable [] nonce,
    byte[] encoded) {
  private static final int NONCE_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  /**
   * Creates a request. The issuer is identified by SHA-1 hashes, because many responders know no
   * others; they protect nothing.
   */
  static OcspRequest about(X509Certificate certificate, X509Certificate issuer, Nonce policy)
      throws OCSPException {
    try {
      X509CertificateHolder authority = new JcaX509CertificateHolder(issuer);
      CertificateID id =
          new CertificateID(
              digests().get(CertificateID.HASH_SHA1), authority, certificate.getSerialNumber());
      OCSPReqBuilder builder = new OCSPReqBuilder().addRequest(id);
      byte[] nonce = null;
      if (policy != Nonce.NONE) {
        nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        builder.setRequestExtensions(
            new Extensions(
                new Extension(
                    OCSPObjectIdentifiers.id_pkix_ocsp_nonce,
                    false,
                    new DEROctetString(nonce).getEncoded())));
      }
      return new OcspRequest(
          new JcaX509CertificateHolder(certificate),
          authority,
          nonce,
          builder.build().getEncoded());
    } catch (GeneralSecurityException
        | OperatorCreationException
        | IOException
        | RuntimeException e) { // the parser of ASN.1 throws many kinds
      throw new OCSPException("cannot create a request: " + e.getMessage(), e);
    }
  }

  static DigestCalculatorProvider digests() throws OperatorCreationException {
    return new JcaDigestCalculatorProviderBuilder().build();
  }

  /** Returns the responder that a certificate names; null if it names none that can be asked. */
  static @Nullable URI responderOf(X509Certificate certificate) {
    try {
      AuthorityInformationAccess access =
          AuthorityInformationAccess.fromExtensions(
              new JcaX509CertificateHolder(certificate).getExtensions());
      if (access == null) {
        return null;
      }
      for (AccessDescription description : access.getAccessDescriptions()) {
        GeneralName location = description.getAccessLocation();
        String text = location.getName().toString();
        if (description.getAccessMethod().equals(AccessDescription.id_ad_ocsp)
            && location.getTagNo() == GeneralName.uniformResourceIdentifier
            && OcspSettings.isHttp(text)) {
          return URI.create(text);
        }
      }
      return null;
    } catch (GeneralSecurityException | RuntimeException e) {
      return null; // an invalid extension names no responder
    }
  }
}
