package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import java.util.List;

/**
 * A message that came to an ended session through a share and that its client did not get.
 *
 * @param sequence it had in the inbox
 * @param share {@code NAME/FILTER} of the subscription {@code $share/NAME/FILTER} it came through
 */
public record LeftMessage(long sequence, String share, Message message) {
  /**
   * Some of what an ended session has left.
   *
   * @param messages ascending by sequence; may be empty although there are more
   * @param over nothing is left any more
   */
  public record Page(List<LeftMessage> messages, boolean over) {}
}
