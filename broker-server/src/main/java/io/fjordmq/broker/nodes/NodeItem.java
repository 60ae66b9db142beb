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

/** A message from one node to another. */
public sealed interface NodeItem {

  /**
   * A published message for all matching ordinary live subscriptions at the node.
   *
   * @param id set if its publisher may repeat it
   */
  record Publish(String tenant, Message message, @Nullable PublishId id) implements NodeItem {}

  /**
   * A message for one connected member of a share; the response tells whether the member has taken
   * it. QoS, RETAIN and identifiers come from the member's route, which may be an earlier
   * session's; the receiving node delivers with the options of the current subscription.
   *
   * @param pattern the filter without its share prefix
   * @param id set if its publisher may repeat it
   * @param kept whether it stays in a store until a member has taken it; a member whose queue is
   *     full leaves it there
   */
  record SharePublish(
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

  /** Entries may have been appended to an inbox; its session refetches them. */
  record Refetch(InboxId inbox) implements NodeItem {}

  /** An inbox range has a new leader: the sessions of its inboxes refetch entries. */
  record LeaderNotice(KeyInterval routing) implements NodeItem {}

  /** A connection of the node was fenced: another one has attached its inbox. */
  record FenceNotice(InboxHandle handle) implements NodeItem {}

  /** A client has connected to another node: the node closes an older connection of it. */
  record ConnectNotice(String tenant, String clientId, ConnectOrder connectOrder)
      implements NodeItem {}

  /** Encodes the item. */
  default byte[] encode() {
    return ItemCodec.encode(this);
  }
}
