package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.PublishId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Routes published messages: stores retained ones, matches subscriptions, and hands each message to
 * all receivers. Thread-safe; no method blocks.
 */
public interface PublishRouter {

  /**
   * Publishes a message. Messages of one publisher are distributed in the order of the calls.
   *
   * @param connectOrder the connect order of the publishing connection, for a will that of its
   *     session; a message that the same client has retained on a later connection is kept. {@link
   *     ConnectOrder#NONE} for messages of the broker
   * @param id set if the publisher may repeat the message after a lost connection or a restart (QoS
   *     2, wills): inboxes store it once, and live receivers of this node get it once
   * @param listener called once, for every QoS. The call is delayed while the mailbox of a
   *     receiving event loop is above its high-water mark: a publisher that bounds its
   *     unacknowledged publishes is slowed down instead of losing messages
   * @return number of trie nodes visited to find the receivers; 0 if they were cached
   */
  int publish(
      String tenant,
      Message message,
      ConnectOrder connectOrder,
      @Nullable PublishId id,
      PublishListener listener);

  /**
   * Ends a batch of calls made by one event loop: hands the collected live deliveries to the other
   * event loops. Called at the end of each read; a batch left open is handed over by the next call.
   */
  void flush();

  /**
   * Redistributes messages of shares that a member has not acknowledged. Called once when the
   * connection of a transient session ends, after {@code LiveSubscriptions.removeAll}, with the
   * {@link Delivery#isShared shared} deliveries that were never sent, regardless of their QoS, and
   * those sent with QoS 1 and not acknowledged. A message sent with QoS 2 must not go to another
   * member (MQTT-4.8.2-5).
   *
   * @param deliveries oldest first
   */
  void redistribute(LiveSession from, List<Delivery> deliveries);
}
