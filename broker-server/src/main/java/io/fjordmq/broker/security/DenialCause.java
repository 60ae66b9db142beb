package io.fjordmq.broker.security;

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
  /** No provider knows the authentication method. */
  BAD_METHOD,
  /** The session with this client identifier belongs to another user. */
  OTHER_USER;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The value of the metric label. */
  public String label() {
    return label;
  }
}
