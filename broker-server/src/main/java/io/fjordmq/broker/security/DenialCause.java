package io.fjordmq.broker.security;

import io.fjordmq.broker.providers.CallOutcome;
import java.util.Locale;

/** The cause of a denied action, which is also a metric label. */
public enum DenialCause {
  /** A provider denied the action. */
  DENIED,
  /** No provider allowed the action. */
  NOT_ALLOWED,
  /** A provider did not respond in time. */
  TIMED_OUT,
  /** A provider failed with an exception, which was logged. */
  FAILED,
  /** Too many calls were waiting for a provider. */
  BUSY,
  /** Too many logins from the client's address have failed. */
  TOO_MANY_FAILURES,
  /** Too many logins from the client's network have failed. */
  TOO_MANY_NETWORK_FAILURES,
  /** Too many logins of the user have failed, and the client's network is new for the user. */
  TOO_MANY_USER_FAILURES,
  /** The client's certificate, or that of one of its issuers, is revoked. */
  REVOKED,
  /** The OCSP responder does not know the client's certificate, or that of one of its issuers. */
  UNKNOWN_CERTIFICATE,
  /** It could not be determined whether the client's certificate is revoked. */
  REVOCATION_UNKNOWN,
  /** No provider knows the authentication method. */
  BAD_METHOD,
  /** The session with this client identifier belongs to another user. */
  OTHER_USER;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The value of the metric label. */
  public String label() {
    return label;
  }

  /** The outcome of the call that led to a denial for this cause. */
  CallOutcome outcome() {
    return switch (this) {
      case TIMED_OUT -> CallOutcome.TIMED_OUT;
      case BUSY -> CallOutcome.BUSY;
      case FAILED -> CallOutcome.FAILED;
      default -> CallOutcome.DENY;
    };
  }

  /** The cause in words, for operators; empty if the decision needs no explanation. */
  String explanation() {
    return switch (this) {
      case DENIED -> "";
      case NOT_ALLOWED -> "no rule allows it";
      case OTHER_USER -> "the session belongs to another user";
      case REVOKED -> "the client's certificate is revoked";
      case UNKNOWN_CERTIFICATE -> "the OCSP responder does not know the client's certificate";
      default -> "no decision (" + label + ")";
    };
  }
}
