package io.fjordmq.inbox;

/** The reasons why accepted messages are dropped: labels of {@link InboxObserver#onDropped}. */
public final class DropReasons {
  /** The inbox was full and dropped its oldest messages. */
  public static final String INBOX_FULL = "inbox_full";

  /** The Message Expiry Interval has elapsed. */
  public static final String EXPIRED = "expired";

  /**
   * The session ended, by expiry or clean start, with undelivered messages that cannot go to
   * another member of a share.
   */
  public static final String SESSION_ENDED = "session_ended";

  private DropReasons() {}
}
