package io.fjordmq.broker.bans;

import io.fjordmq.common.OperationException;

/** Thrown if an operation on bans failed; the message is intended for the caller of the API. */
public final class BanException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** A value of the request is invalid; the message begins with its name. */
    INVALID,
    /** The ban does not exist, or belongs to a tenant that the caller must not see. */
    NOT_FOUND,
    /** The same ban exists. */
    EXISTS,
    /** The ban was changed at the same time by another request; nothing was written. */
    CHANGED,
    /** The cluster has the maximum number of bans. */
    FULL,
    /** The metadata cannot be written at the moment, or the outcome of the write is unknown. */
    UNAVAILABLE
  }

  BanException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
