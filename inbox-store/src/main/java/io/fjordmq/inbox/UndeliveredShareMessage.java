package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import java.util.List;

/**
 * An undelivered share message of an ended session.
 *
 * @param sequence sequence of its entry in the inbox
 * @param share {@code NAME/FILTER} of the shared subscription {@code $share/NAME/FILTER}
 */
public record UndeliveredShareMessage(long sequence, String share, Message message) {
  /**
   * One page of the undelivered share messages of an ended session.
   *
   * @param messages in ascending order of sequence; may be empty even if more follow
   * @param complete true if no messages remain
   */
  public record Page(List<UndeliveredShareMessage> messages, boolean complete) {}
}
