package io.fjordmq.inbox;

/** Why an accepted message was not delivered: labels of {@link InboxObserver#dropped}. */
public final class DropReasons {
  /** The inbox was full and drops its oldest. */
  public static final String INBOX_FULL = "inbox_full";

  /** Its Message Expiry Interval passed. */
  public static final String EXPIRED = "expired";

  /**
   * The session expired or was started clean while it had undelivered messages that no other member
   * of a share may have.
   */
  public static final String SESSION_ENDED = "session_ended";

  private DropReasons() {}
}
