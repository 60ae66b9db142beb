package io.fjordmq.broker.trace;

import io.fjordmq.common.OperationException;

/** Thrown if an operation on traces failed; the message is intended for the caller of the API. */
public final class TraceException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** A value of the request is invalid; the message begins with its name. */
    INVALID,
    /** The trace or node does not exist, or belongs to a tenant that the caller must not see. */
    NOT_FOUND,
    /** A trace with this name exists. */
    EXISTS,
    /** The trace was changed at the same time by another request; nothing was written. */
    CHANGED,
    /** The cluster has the maximum number of traces. */
    FULL,
    /** The metadata or a node cannot be reached at the moment. */
    UNAVAILABLE
  }

  TraceException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
