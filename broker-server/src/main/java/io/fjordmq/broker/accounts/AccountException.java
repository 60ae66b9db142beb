package io.fjordmq.broker.accounts;

import io.fjordmq.common.OperationException;

/** Thrown if an operation on accounts failed; the message is intended for the caller of the API. */
public final class AccountException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** A value of the request is invalid; the message begins with its name. */
    INVALID,
    /** The account does not exist, or belongs to a tenant that the caller must not see. */
    NOT_FOUND,
    /** An account with this name exists. */
    EXISTS,
    /** The account was changed at the same time by another request; nothing was written. */
    CHANGED,
    /** The cluster has the maximum number of accounts of this kind. */
    FULL,
    /** The name, the password or the secret is wrong, or the API key is disabled or expired. */
    WRONG_CREDENTIALS,
    /** The token was not issued by this cluster, or its user has been changed or removed. */
    TOKEN_INVALID,
    /** The token was valid but has expired. */
    TOKEN_EXPIRED,
    /** Logins of this address or user are blocked because of too many failures. */
    TOO_MANY_FAILURES,
    /** Too many passwords are waiting to be hashed. */
    BUSY,
    /** The metadata cannot be written at the moment, or the outcome of the write is unknown. */
    UNAVAILABLE
  }

  AccountException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
