package io.fjordmq.cluster.peer;

/** Why another node did not answer. */
public final class PeerException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What the caller can conclude. */
  public enum Kind {
    /** It was not sent: the node cannot be reached, or too much waits to be sent to it. */
    NOT_SENT,
    /** It was sent; whether it was handled is not known. */
    NO_ANSWER,
    /** The node refused or failed to handle it, and says why. */
    REFUSED,
    /** As {@link #REFUSED}, because another process of the same node is connected. */
    IN_USE,
    /** As {@link #REFUSED}, because the data directory of this node can never be used again. */
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
