package io.fjordmq.cluster.consensus;

import io.fjordmq.common.OperationException;

/** Thrown if a request to a group failed. {@link #kind} determines how the caller can react. */
public final class ConsensusException extends OperationException {
  private static final long serialVersionUID = 1;

  /** The kind of failure, from the caller's point of view. */
  public enum Kind {
    /** This replica does not lead, or not in the expected term; the entry was not appended. */
    NOT_LEADER,
    /** Too many requests are pending; the entry was not appended. Retry after a pause. */
    BUSY,
    /**
     * The entry may or may not be committed. Proposing it again is safe only if the state
     * recognizes duplicates.
     */
    OUTCOME_UNKNOWN,
    /** The replica is closing or closed; the entry was not appended. */
    CLOSED,
    /**
     * The replica's log or state failed (disk full, I/O error); the replica is inactive until it is
     * reopened.
     */
    FAILED
  }

  public ConsensusException(Kind kind, String message) {
    super(kind, message);
  }

  public ConsensusException(Kind kind, String message, Throwable cause) {
    super(kind, message, cause);
  }

  @Override
  public Kind kind() {
    return (Kind) super.kind();
  }
}
