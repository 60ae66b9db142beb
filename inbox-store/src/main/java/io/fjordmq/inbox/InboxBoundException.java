package io.fjordmq.inbox;

/** The inbox belongs to another user than the one who asked to attach it, and to nobody else. */
public final class InboxBoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InboxBoundException(InboxId id) {
    super("inbox " + id + " belongs to another user", null, false, false);
  }
}
