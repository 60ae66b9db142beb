package io.fjordmq.broker.accounts;

import io.fjordmq.common.OperationException;

/**
 * Thrown if credentials or a token are not accepted, or cannot be checked at the moment; the
 * message is intended for the caller of the API.
 */
public final class CredentialsException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** The name, the password or the secret is wrong, or the API key is disabled or expired. */
    WRONG_CREDENTIALS,
    /** The token was not issued by this cluster, or its user has been changed or removed. */
    TOKEN_INVALID,
    /** The token was valid but has expired. */
    TOKEN_EXPIRED,
    /** Logins of this address or user are blocked because of too many failures. */
    TOO_MANY_FAILURES,
    /** Too many passwords are waiting to be hashed. */
    BUSY
  }

  CredentialsException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
