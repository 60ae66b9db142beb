package io.fjordmq.broker.revocation;

import io.fjordmq.api.auth.ProviderException;
import io.fjordmq.broker.revocation.OcspSettings.Nonce;
import io.fjordmq.broker.revocation.RevocationStatus.Kind;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.ocsp.OCSPObjectIdentifiers;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.CertException;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.ocsp.BasicOCSPResp;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.bouncycastle.cert.ocsp.OCSPResp;
import org.bouncycastle.cert.ocsp.RevokedStatus;
import org.bouncycastle.cert.ocsp.SingleResp;
import org.bouncycastle.operator.ContentVerifierProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A valid response of a responder (RFC 6960): signed by the issuer of the certificate or by a
 * responder that the issuer has authorized, recent, and not a replay.
 *
 * @param status good, revoked, or unknown to the responder
 * @param validUntil until when the response may be used again
 */
record OcspResponse(RevocationStatus status, Instant validUntil) {
  /** How far the clock of the responder may differ. */
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);

  /** How old a response may be that does not say until when it is valid. */
  private static final Duration MAX_AGE = Duration.ofMinutes(5);

  /**
   * Validates a response.
   *
   * @throws ProviderException if the response is not valid for the request; it is about the client
   *     if the responder works, but has no valid response for this certificate
   */
  static OcspResponse read(byte[] encoded, OcspRequest request, Nonce policy, Instant now)
      throws ProviderException {
    BasicOCSPResp response = signedResponse(encoded, request, policy, now);
    try {
      SingleResp single = singleResponse(response, request);
      Instant end = requireRecent(single, now);
      RevocationStatus status = statusOf(single, request);
      // The responder may not have learned of a new certificate yet.
      return new OcspResponse(status, status.kind() == Kind.UNKNOWN ? now : end);
    } catch (OCSPException | OperatorCreationException | RuntimeException e) {
      throw ProviderException.aboutClient(String.valueOf(e.getMessage()), e);
    }
  }

  private static BasicOCSPResp signedResponse(
      byte[] encoded, OcspRequest request, Nonce policy, Instant now) throws ProviderException {
    try {
      OCSPResp response = new OCSPResp(encoded);
      if (response.getStatus() != OCSPResp.SUCCESSFUL) {
        throw failureOf(response.getStatus());
      }
      if (!(response.getResponseObject() instanceof BasicOCSPResp basic)) {
        throw new OCSPException("the response has an unknown type");
      }
      requireNonce(basic, request, policy);
      requireSignature(basic, request, now);
      return basic;
    } catch (OCSPException e) {
      throw new ProviderException(String.valueOf(e.getMessage()), false, e);
    } catch (IOException | RuntimeException e) {
      throw new ProviderException("the response is not valid: " + e.getMessage(), false, e);
    }
  }

  private static ProviderException failureOf(int status) {
    String message = "the responder reported " + errorText(status);
    return status == OCSPResp.UNAUTHORIZED || status == OCSPResp.MALFORMED_REQUEST
        ? ProviderException.aboutClient(message, null)
        : new ProviderException(message, false, null);
  }

  private static String errorText(int status) {
    return switch (status) {
      case OCSPResp.MALFORMED_REQUEST -> "a malformed request";
      case OCSPResp.INTERNAL_ERROR -> "an internal error";
      case OCSPResp.TRY_LATER -> "that it is busy";
      case OCSPResp.SIG_REQUIRED -> "that requests must be signed, which is not supported";
      case OCSPResp.UNAUTHORIZED -> "that it is not authoritative for this certificate";
      default -> "the unknown status " + status;
    };
  }

  private static void requireNonce(BasicOCSPResp response, OcspRequest request, Nonce policy)
      throws OCSPException {
    byte[] sent = request.nonce();
    Extension found = response.getExtension(OCSPObjectIdentifiers.id_pkix_ocsp_nonce);
    if (found == null) {
      if (policy == Nonce.REQUIRED) {
        throw new OCSPException("the response has no nonce");
      }
    } else if (sent != null
        && !Arrays.equals(sent, ASN1OctetString.getInstance(found.getParsedValue()).getOctets())) {
      throw new OCSPException("the response has the nonce of another request");
    }
  }

  private static void requireSignature(BasicOCSPResp response, OcspRequest request, Instant now)
      throws OCSPException {
    for (X509CertificateHolder signer : possibleSigners(response, request, now)) {
      if (isSigned(response::isSignatureValid, signer)) {
        return;
      }
    }
    throw new OCSPException(
        "the response is signed neither by "
            + request.issuer().getSubject()
            + " nor by a responder that it has authorized");
  }

  /** Returns the issuer and the responders to which it has issued a certificate for this use. */
  private static List<X509CertificateHolder> possibleSigners(
      BasicOCSPResp response, OcspRequest request, Instant now) {
    X509CertificateHolder issuer = request.issuer();
    List<X509CertificateHolder> signers = new ArrayList<>(List.of(issuer));
    for (X509CertificateHolder one : response.getCerts()) {
      ExtendedKeyUsage usage = ExtendedKeyUsage.fromExtensions(one.getExtensions());
      if (usage != null
          && usage.hasKeyPurposeId(KeyPurposeId.id_kp_OCSPSigning)
          && one.getIssuer().equals(issuer.getSubject())
          && one.isValidOn(Date.from(now))
          && isSigned(one::isSignatureValid, issuer)) {
        signers.add(one);
      }
    }
    return signers;
  }

  /** Verifies a signature. */
  @FunctionalInterface
  private interface SignatureCheck {
    boolean isValid(ContentVerifierProvider verifiers) throws OCSPException, CertException;
  }

  /**
   * Whether something has a valid signature of the signer. A key of another kind than that of the
   * signature makes the verification fail instead of returning false.
   */
  private static boolean isSigned(SignatureCheck verification, X509CertificateHolder signer) {
    try {
      PublicKey key = new JcaX509CertificateConverter().getCertificate(signer).getPublicKey();
      return verification.isValid(new JcaContentVerifierProviderBuilder().build(key));
    } catch (OCSPException
        | CertException
        | OperatorCreationException
        | GeneralSecurityException
        | RuntimeException e) {
      return false;
    }
  }

  private static SingleResp singleResponse(BasicOCSPResp response, OcspRequest request)
      throws OCSPException, OperatorCreationException {
    for (SingleResp single : response.getResponses()) {
      CertificateID id = single.getCertID();
      if (id.getSerialNumber().equals(request.certificate().getSerialNumber())
          && id.matchesIssuer(request.issuer(), OcspRequest.digests())) {
        return single;
      }
    }
    throw new OCSPException("the response is about another certificate");
  }

  /** Returns until when the response may be used. */
  private static Instant requireRecent(SingleResp response, Instant now) throws OCSPException {
    Instant begin = response.getThisUpdate().toInstant();
    Date next = response.getNextUpdate();
    Instant end = next == null ? begin.plus(MAX_AGE) : next.toInstant();
    if (begin.isAfter(now.plus(CLOCK_SKEW))) {
      throw new OCSPException("the response is not valid before " + begin);
    }
    if (!end.plus(CLOCK_SKEW).isAfter(now)) {
      throw new OCSPException(
          next == null
              ? "the response is too old: it was current at " + begin
              : "the response expired at " + end);
    }
    return next == null ? now : end;
  }

  private static RevocationStatus statusOf(SingleResp response, OcspRequest request) {
    @Nullable CertificateStatus status = response.getCertStatus();
    if (status == CertificateStatus.GOOD) { // null in this library
      return RevocationStatus.GOOD;
    }
    String certificate =
        "certificate "
            + request.certificate().getSerialNumber().toString(16)
            + " of "
            + request.certificate().getSubject();
    if (!(status instanceof RevokedStatus revoked)) {
      return RevocationStatus.unknown(
          certificate + " is unknown to the OCSP responder of its issuer");
    }
    return RevocationStatus.revoked(
        certificate
            + " was revoked at "
            + revoked.getRevocationTime().toInstant()
            + (revoked.hasRevocationReason()
                ? " (" + CrlReasons.text(revoked.getRevocationReason()) + ")"
                : "")
            + ", according to the OCSP responder");
  }
}
