package io.fjordmq.cluster.peer;

/** A call to another node failed. */
public final class PeerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What the caller can conclude about the request. */
  public enum Kind {
    /** Not sent: the node cannot be reached, or the send queue is full. */
    NOT_SENT,
    /** Sent, but it is unknown whether the request was handled. */
    NO_ANSWER,
    /** The node refused the request or failed to handle it; the message says why. */
    REFUSED,
    /** Refused because another process with the same node id is connected. */
    IN_USE,
    /** Refused permanently: the data directory of this node is a stale copy. */
    FENCED
  }

  private final Kind kind;

  public PeerException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public PeerException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
