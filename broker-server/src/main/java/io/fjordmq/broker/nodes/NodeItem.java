package io.fjordmq.broker.nodes;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.range.KeyInterval;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One thing a node says to another. */
public sealed interface NodeItem {

  /**
   * A message for whoever at the node has ordinary live subscriptions that match.
   *
   * @param id set if its publisher may repeat it
   */
  record Publish(String tenant, Message message, @Nullable PublishId id) implements NodeItem {}

  /**
   * A message for one connected member of a share; answered with whether the member could take it.
   * QoS, RETAIN and identifiers are what the member's route says. That may be an earlier session's:
   * the node that has the member delivers by its subscription.
   *
   * @param pattern the filter without the share
   * @param id set if its publisher may repeat it
   * @param kept it waits in a store until a member has it: one without room leaves it there
   */
  record Shared(
      String tenant,
      String shareName,
      String pattern,
      String member,
      Qos qos,
      boolean retain,
      List<Integer> subscriptionIdentifiers,
      Message message,
      @Nullable PublishId id,
      boolean kept)
      implements NodeItem {}

  /** Entries were appended to an inbox that is attached at the node. */
  record Appended(InboxHandle handle, List<InboxEntry> entries) implements NodeItem {}

  /** Entries may have been appended to an inbox; its session reads it again. */
  record Refetch(InboxId inbox) implements NodeItem {}

  /** A range of inboxes is led anew: sessions whose inboxes are in it read them again. */
  record InboxesLed(KeyInterval routing) implements NodeItem {}

  /** An inbox was taken from a connection of the node. */
  record Fenced(InboxHandle handle) implements NodeItem {}

  /** A client has connected elsewhere: an older connection of it is to be closed. */
  record Connected(String tenant, String clientId, ConnectOrder connectOrder) implements NodeItem {}

  /** Its bytes. */
  default byte[] encode() {
    return ItemCodec.encode(this);
  }
}
