package io.fjordmq.inbox;

/**
 * Names a message whose insertion may be repeated, so that it is stored once (QoS 2 publishers
 * across reconnects and restarts; wills).
 *
 * @param producer unique among all producers of the store, for ever
 * @param sequence grows with each new message of the producer
 * @param lowest no message of the producer below this will be repeated any more
 */
public record PublishId(long producer, long sequence, long lowest) {
  private static final long WILLS = 0x77_696c_6c73L;
  private static final long LEFT = 0x6c_6566_74L;

  /** Of a QoS 2 publish of the client that holds an inbox. */
  public static PublishId ofPublisher(InboxHandle publisher, long sequence, long lowest) {
    return new PublishId(producer(publisher.id(), publisher.incarnation()), sequence, lowest);
  }

  /**
   * Of the will that was given at an attach.
   *
   * @param lowest epoch of the session's oldest will that is due and perhaps not published yet: one
   *     that could not be published is repeated after a later one
   */
  public static PublishId ofWill(InboxId id, long incarnation, long epoch, long lowest) {
    return new PublishId(InboxKeys.mix(producer(id, incarnation) ^ WILLS), epoch, lowest);
  }

  /**
   * Of a message that an ended session has left to a share.
   *
   * @param lowest sequence of the first message that is still left
   */
  public static PublishId ofLeft(InboxId id, long incarnation, long sequence, long lowest) {
    return new PublishId(InboxKeys.mix(producer(id, incarnation) ^ LEFT), sequence, lowest);
  }

  /** Inboxes on different ranges can have the same incarnation, so that alone is not enough. */
  private static long producer(InboxId id, long incarnation) {
    return InboxKeys.mix(InboxKeys.hash(id) ^ InboxKeys.mix(incarnation));
  }
}
