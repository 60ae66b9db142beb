package io.fjordmq.cluster.consensus;

/** Why a group could not do what was asked. */
public final class ConsensusException extends Exception {
  private static final long serialVersionUID = 1;

  /** What the caller can conclude. */
  public enum Kind {
    /** This replica does not lead, or not in the expected term; the entry was not appended. */
    NOT_LEADER,
    /** Too much is waiting; the entry was not appended. Try again after a pause. */
    BUSY,
    /** The entry may or may not be committed; only a retry under the same number can tell. */
    OUTCOME_UNKNOWN,
    /** The replica is closing or closed; the entry was not appended. */
    CLOSED,
    /**
     * The replica's log or state failed (disk full, I/O error); it takes no part until reopened.
     */
    FAILED
  }

  private final Kind kind;

  public ConsensusException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public ConsensusException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
