package io.fjordmq.broker.security;

import java.util.Locale;

/** Why something is denied; the label of a metric. */
public enum DenialCause {
  /** A provider said so. */
  DENIED,
  /** No provider had an opinion. */
  NOBODY_ALLOWED,
  /** A provider did not answer in time. */
  TIMED_OUT,
  /** A provider failed; the log has the exception. */
  FAILED,
  /** Too many wait for a provider already. */
  BUSY,
  /** Too many logins failed from the client's address. */
  TOO_MANY_FAILURES,
  /** No provider knows the authentication method. */
  BAD_METHOD,
  /** The client identifier belongs to the session of another user. */
  OTHER_USER;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Value of the metric's label. */
  public String label() {
    return label;
  }
}
