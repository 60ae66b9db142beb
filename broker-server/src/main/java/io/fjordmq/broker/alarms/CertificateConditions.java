package io.fjordmq.broker.alarms;

import io.fjordmq.broker.net.CertificateStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Certificates that expire soon, and certificate files that cannot be loaded. */
final class CertificateConditions {
  private CertificateConditions() {}

  /**
   * @param now the time of the wall clock, which clients compare with the certificates, too
   */
  static List<AlarmCondition> of(
      List<CertificateStatus> certificates, Instant now, AlarmSettings settings) {
    List<AlarmCondition> conditions = new ArrayList<>();
    Instant limit = now.plus(settings.certificateExpiry());
    for (CertificateStatus certificate : certificates) {
      if (certificate.expiresAt().isBefore(limit)) {
        boolean hasExpired = certificate.expiresAt().isBefore(now);
        conditions.add(
            AlarmCondition.of(
                AlarmKind.CERTIFICATE_EXPIRING,
                certificate.user(),
                "The certificate of %s %s at %s; replace %s"
                    .formatted(
                        certificate.user(),
                        hasExpired ? "expired" : "expires",
                        certificate.expiresAt(),
                        certificate.file()),
                "listener",
                certificate.user(),
                "file",
                certificate.file(),
                "expires_at",
                certificate.expiresAt().toString()));
      }
      String rejection = certificate.rejection();
      if (rejection != null) {
        conditions.add(
            AlarmCondition.of(
                AlarmKind.CERTIFICATE_RELOAD_REJECTED,
                certificate.user(),
                ("The changed certificate of %s cannot be loaded, so the previous one stays in use:"
                        + " %s; correct %s or its key before the node restarts")
                    .formatted(certificate.user(), rejection, certificate.file()),
                "listener",
                certificate.user(),
                "file",
                certificate.file()));
      }
    }
    return conditions;
  }
}
