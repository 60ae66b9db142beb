package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import java.util.List;

/**
 * An undelivered share message of an ended session.
 *
 * @param sequence sequence of its entry in the inbox
 * @param share {@code NAME/FILTER} of the shared subscription {@code $share/NAME/FILTER}
 */
public record LeftMessage(long sequence, String share, Message message) {
  /**
   * One page of the messages that an ended session has left.
   *
   * @param messages in ascending order of sequence; may be empty even if more follow
   * @param over true if no messages are left
   */
  public record Page(List<LeftMessage> messages, boolean over) {}
}
