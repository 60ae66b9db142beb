package io.fjordmq.broker.security;

import java.util.Locale;

/** Why an action is denied; label of a metric. */
public enum DenialCause {
  /** A provider denied it. */
  DENIED,
  /** No provider allowed it. */
  NOT_ALLOWED,
  /** A provider did not respond in time. */
  TIMED_OUT,
  /** A provider failed; the log has the exception. */
  FAILED,
  /** Too many calls are waiting for a provider. */
  BUSY,
  /** Too many logins failed from the client's address. */
  TOO_MANY_FAILURES,
  /** No provider knows the authentication method. */
  BAD_METHOD,
  /** The client identifier belongs to the session of another user. */
  OTHER_USER;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Value of the metric label. */
  public String label() {
    return label;
  }
}
