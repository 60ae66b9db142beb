package io.fjordmq.broker.rest;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the certificates in a request. */
final class PemCertificates {
  private PemCertificates() {}

  /**
   * Returns a certificate and its issuers.
   *
   * @param pem null for none
   * @throws ApiException if the text contains no certificates, or one of them was not issued by the
   *     next one
   */
  static List<X509Certificate> path(@Nullable String pem) {
    List<X509Certificate> path = new ArrayList<>();
    if (pem == null) {
      return path;
    }
    try {
      for (Certificate one :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(pem.getBytes(StandardCharsets.ISO_8859_1)))) {
        X509Certificate certificate = (X509Certificate) one;
        if (!path.isEmpty()) {
          path.get(path.size() - 1).verify(certificate.getPublicKey());
        }
        path.add(certificate);
      }
    } catch (GeneralSecurityException e) {
      throw ApiException.badRequest(
          "cert: must contain a certificate and its issuers in PEM format: " + e.getMessage());
    }
    if (path.isEmpty()) {
      throw ApiException.badRequest("cert: contains no certificate");
    }
    return path;
  }
}
