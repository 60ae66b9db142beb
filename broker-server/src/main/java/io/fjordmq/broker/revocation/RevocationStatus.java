package io.fjordmq.broker.revocation;

/**
 * The revocation status of a certificate according to a revocation list or responder.
 *
 * @param detail the reason, for operators; empty if the certificate is good
 */
record RevocationStatus(Kind kind, String detail) {
  /** Not revoked. */
  static final RevocationStatus GOOD = new RevocationStatus(Kind.GOOD, "");

  enum Kind {
    GOOD,
    REVOKED,
    /** The responder answers for the issuer, but does not know the certificate. */
    UNKNOWN,
    /** There is no valid response. */
    UNDETERMINED
  }

  static RevocationStatus revoked(String detail) {
    return new RevocationStatus(Kind.REVOKED, detail);
  }

  static RevocationStatus unknown(String detail) {
    return new RevocationStatus(Kind.UNKNOWN, detail);
  }

  static RevocationStatus undetermined(String detail) {
    return new RevocationStatus(Kind.UNDETERMINED, detail);
  }
}
