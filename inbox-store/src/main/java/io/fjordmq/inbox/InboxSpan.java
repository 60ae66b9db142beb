package io.fjordmq.inbox;

import io.fjordmq.range.KeyInterval;
import java.util.function.Predicate;

/**
 * The inboxes of a range.
 *
 * @param keys the key interval of the range
 */
public record InboxSpan(KeyInterval keys) implements Predicate<InboxId> {
  @Override
  public boolean test(InboxId inbox) {
    return keys.contains(inbox.routingKey());
  }
}
