package io.fjordmq.broker.revocation;

import java.security.cert.CRLReason;
import java.util.Locale;

/** The reasons for which certificates are revoked, in words. */
final class CrlReasons {
  private CrlReasons() {}

  /**
   * @param code the number of the reason (RFC 5280 §5.3.1)
   */
  static String text(int code) {
    CRLReason[] known = CRLReason.values();
    return code < 0 || code >= known.length
        ? "reason " + code
        : known[code].name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
