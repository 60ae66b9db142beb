package io.fjordmq.inbox;

/**
 * A later attach has fenced the handle, or the session has ended: this connection must be closed.
 */
public final class InboxFencedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public InboxFencedException(InboxHandle handle) {
    super("handle is fenced (inbox attached again, or session ended): " + handle);
  }
}
