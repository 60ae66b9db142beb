package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.trace.Receivers;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.PublishId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Routes published messages: stores retained messages, matches subscriptions, and hands each
 * message to all receivers. Thread-safe; no method blocks.
 */
public interface PublishRouter {

  /**
   * Publishes a message. Messages of one publisher are distributed in the order of the calls.
   *
   * @param connectOrder the connect order of the publishing connection or, for a will, of its
   *     session; it prevents the message from replacing one that the same client retained on a
   *     later connection. {@link ConnectOrder#NONE} for messages published by the broker
   * @param id the id of the publish; non-null if the publisher may resend the message after a lost
   *     connection or a restart (QoS 2, wills). Inboxes then store the message once, and live
   *     receivers on this node receive it once
   * @param listener called once, for every QoS. The call is delayed while the mailbox of a
   *     receiving event loop is above its high-water mark, so that a publisher with a bounded
   *     number of unacknowledged publishes slows down instead of losing messages
   * @return the number of trie nodes visited to find the receivers; 0 if the receivers were cached
   */
  int publish(
      String tenant,
      Message message,
      ConnectOrder connectOrder,
      @Nullable PublishId id,
      PublishListener listener);

  /** Counts the receivers that the message would have now, for traces. */
  Receivers receivers(String tenant, Message message);

  /**
   * Ends a batch of calls made by one event loop, and hands the collected live deliveries to the
   * other event loops. Called at the end of each read. If a batch is left open, the next call hands
   * it over.
   */
  void flush();

  /**
   * Redistributes shared-subscription messages that a member has not acknowledged. Called once when
   * the connection of a transient session ends, after {@code LiveSubscriptions.removeAll}. The
   * {@link Delivery#isShared shared} deliveries to pass are those never sent, regardless of QoS,
   * and those sent with QoS 1 but not acknowledged. A message sent with QoS 2 must not go to
   * another member (MQTT-4.8.2-5).
   *
   * @param deliveries the deliveries, oldest first
   */
  void redistribute(LiveSession from, List<Delivery> deliveries);
}
