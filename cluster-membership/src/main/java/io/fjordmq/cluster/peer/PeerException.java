package io.fjordmq.cluster.peer;

import io.fjordmq.common.OperationException;

/** Thrown if a call to another node failed. */
public final class PeerException extends OperationException {
  private static final long serialVersionUID = 1;

  /** What the caller can conclude about the request. */
  public enum Kind {
    /** Not sent: the node cannot be reached, or the send queue is full. */
    NOT_SENT,
    /** Sent, but it is unknown whether the request was handled. */
    NO_RESPONSE,
    /** The node refused the request or failed to handle it; the message explains why. */
    REFUSED,
    /** Refused because another process with the same node id is connected. */
    IN_USE,
    /** Refused permanently: the data directory of this node is a stale copy. */
    FENCED
  }

  public PeerException(Kind kind, String message) {
    super(kind, message);
  }

  public PeerException(Kind kind, String message, Throwable cause) {
    super(kind, message, cause);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
