package io.fjordmq.inbox;

/** A later attach has taken the inbox, or the session has ended: this connection must close. */
public final class InboxFencedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public InboxFencedException(InboxHandle handle) {
    super("inbox " + handle + " is no longer this connection's");
  }
}
