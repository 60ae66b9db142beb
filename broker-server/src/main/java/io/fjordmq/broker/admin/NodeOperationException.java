package io.fjordmq.broker.admin;

import io.fjordmq.common.OperationException;

/** Thrown if a request to a node failed; the message is for the caller of the API. */
public final class NodeOperationException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** The node does not exist. */
    UNKNOWN_NODE,
    /** The node is down or did not respond; a change may still take effect. */
    UNAVAILABLE
  }

  NodeOperationException(Kind kind, String message) {
    super(kind, message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
