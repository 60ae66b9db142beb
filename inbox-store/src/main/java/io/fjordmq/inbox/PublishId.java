package io.fjordmq.inbox;

/**
 * Identifies a message whose insertion may be repeated, so that it is stored only once. Used for
 * QoS 2 publishes across reconnects and restarts, for wills, and for undelivered share messages.
 *
 * @param producer unique among all producers of the store; never reused
 * @param sequence increases with each new message of the producer
 * @param lowest the producer repeats no message with a lower sequence
 */
public record PublishId(long producer, long sequence, long lowest) {
  private static final long WILLS = 0x77_696c_6c73L;
  private static final long UNDELIVERED = 0x6c_6566_74L;

  /** Returns the id of a QoS 2 publish of the client that holds an inbox. */
  public static PublishId ofPublisher(InboxHandle publisher, long sequence, long lowest) {
    return new PublishId(producer(publisher.id(), publisher.incarnation()), sequence, lowest);
  }

  /**
   * Returns the id of the will of an attach.
   *
   * @param lowest epoch of the session's oldest due will that may not be published yet; its
   *     publication can be repeated after a later one
   */
  public static PublishId ofWill(InboxId id, long incarnation, long epoch, long lowest) {
    return new PublishId(InboxId.mix(producer(id, incarnation) ^ WILLS), epoch, lowest);
  }

  /**
   * Returns the id of an undelivered share message of an ended session.
   *
   * @param lowest sequence of the first remaining message
   */
  public static PublishId ofUndelivered(InboxId id, long incarnation, long sequence, long lowest) {
    return new PublishId(InboxId.mix(producer(id, incarnation) ^ UNDELIVERED), sequence, lowest);
  }

  /** Includes the inbox id, because inboxes in different ranges can have the same incarnation. */
  private static long producer(InboxId id, long incarnation) {
    return InboxId.mix(id.hash() ^ InboxId.mix(incarnation));
  }
}
