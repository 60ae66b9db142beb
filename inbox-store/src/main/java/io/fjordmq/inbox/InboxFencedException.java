package io.fjordmq.inbox;

/**
 * Thrown if a later attach has fenced the handle or the session has ended; the connection must then
 * be closed.
 */
public final class InboxFencedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public InboxFencedException(InboxHandle handle) {
    super("handle is fenced: the inbox was attached again, or its session has ended: " + handle);
  }
}
