package io.fjordmq.inbox;

/** Thrown if an attach failed because the session belongs exclusively to another user. */
public final class InboxBoundException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InboxBoundException(InboxId id) {
    super("inbox " + id + " belongs to another user", null, false, false);
  }
}
