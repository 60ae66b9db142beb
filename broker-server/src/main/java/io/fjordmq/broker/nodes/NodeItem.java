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
   * A published message for all matching ordinary live subscriptions on the receiving node.
   *
   * @param id the id of the publish; non-null if the publisher may resend the message
   */
  record Publish(String tenant, Message message, @Nullable PublishId id) implements NodeItem {}

  /**
   * A message for one connected member of a share. The response states whether the member has
   * accepted it. QoS, RETAIN and identifiers come from the member's route, which may belong to an
   * earlier session; the receiving node delivers with the options of the current subscription.
   *
   * @param pattern the filter without its share prefix
   * @param id the id of the publish; non-null if the publisher may resend the message
   * @param kept whether the message stays in a store until a member has accepted it; a member whose
   *     queue is full leaves it there
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

  /** Entries were appended to an inbox that is attached on the receiving node. */
  record Appended(InboxHandle handle, List<InboxEntry> entries) implements NodeItem {}

  /** Entries may have been appended to an inbox; the session of the inbox refetches them. */
  record Refetch(InboxId inbox) implements NodeItem {}

  /** An inbox range has a new leader; the sessions of its inboxes refetch entries. */
  record LeaderNotice(KeyInterval routing) implements NodeItem {}

  /**
   * A connection on the receiving node was fenced because another connection has attached its
   * inbox.
   */
  record FenceNotice(InboxHandle handle) implements NodeItem {}

  /**
   * A client has connected to another node; the receiving node closes an older connection of the
   * client.
   */
  record ConnectNotice(String tenant, String clientId, ConnectOrder connectOrder)
      implements NodeItem {}

  /** Encodes the item. */
  default byte[] encode() {
    return ItemCodec.encode(this);
  }
}
