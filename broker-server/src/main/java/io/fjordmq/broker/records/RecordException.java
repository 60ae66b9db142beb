package io.fjordmq.broker.records;

import io.fjordmq.common.OperationException;

/** Thrown if an operation on a record failed; the message is intended for the caller of the API. */
public final class RecordException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** A value of the request is invalid; the message begins with its name. */
    INVALID,
    /** The record does not exist, or belongs to a tenant that the caller must not see. */
    NOT_FOUND,
    /** The record already exists. */
    EXISTS,
    /** Records of several tenants have this name. */
    AMBIGUOUS,
    /** Another request changed the record at the same time; nothing was written. */
    CHANGED,
    /** The cluster or the tenant has the maximum number of records of this type. */
    FULL,
    /**
     * The metadata or a node cannot be reached at the moment, the outcome of a write is unknown, or
     * this node cannot read the record.
     */
    UNAVAILABLE
  }

  public RecordException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
