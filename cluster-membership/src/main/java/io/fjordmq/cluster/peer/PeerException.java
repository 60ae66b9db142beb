package io.fjordmq.cluster.peer;

import io.fjordmq.common.OperationException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

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

  private final @Nullable String reason;

  public PeerException(Kind kind, String message) {
    super(kind, message);
    this.reason = null;
  }

  public PeerException(Kind kind, String message, Throwable cause) {
    super(kind, message, cause);
    this.reason = null;
  }

  /**
   * @param what the call that failed; begins the message
   * @param reason why no response arrived, such as "connection refused"; ends the message
   */
  PeerException(Kind kind, String what, String reason) {
    super(kind, what + ": " + reason);
    this.reason = reason;
  }

  /**
   * Describes the failure of a call to a node, for operators: whether the node did not respond, and
   * why.
   */
  public static String describe(String node, Throwable failure) {
    Throwable cause = OperationException.unwrap(failure);
    if (cause instanceof TimeoutException) {
      return "node " + node + " did not respond in time";
    }
    if (cause instanceof PeerException peer && peer.reason != null) {
      return "node " + node + " did not respond: " + peer.reason;
    }
    String message = cause.getMessage();
    return "node " + node + ": " + (message == null ? cause.getClass().getSimpleName() : message);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
