package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.PublishId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a PUBLISH means: keep it if retained, match it, hand it to every receiver. Thread-safe;
 * nothing blocks.
 */
public interface PublishRouter {

  /**
   * Publishes a message. Messages of one publisher are distributed in the order of the calls.
   *
   * @param claim of the connection that publishes; a will's is its place among them. What the same
   *     client has retained by a later one stays. {@link ConnectOrder#NONE} for the broker's own
   * @param id set if the publisher may repeat the message after a lost connection or a restart (QoS
   *     2, wills): inboxes store it once, and live receivers of this node get it once
   * @param listener told once, for every QoS. While a receiving event loop has more waiting for it
   *     than it should, it is told late: a publisher that bounds its unanswered publishes is slowed
   *     down instead of losing messages
   * @return nodes of filter tries that were visited to find the receivers; 0 if they were cached
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
   * Gives the messages of shares that a member did not acknowledge to other members. Called once
   * when the connection of a transient session ends, after {@link LiveSubscriptions#removeAll}; for
   * those with {@link Delivery#isShared} that were never sent, whatever their QoS, and those sent
   * with QoS 1 and not acknowledged. One that was sent with QoS 2 must not go to anybody else
   * (MQTT-4.8.2-5).
   *
   * @param deliveries oldest first
   */
  void redistribute(LiveSession from, List<Delivery> deliveries);

  /**
   * Gives a message that an ended session has left to a member of its share. The message is kept
   * where it is until the listener is told that a member has it, or that none can have it.
   *
   * @param id set if no two members may have it
   * @param listener told once, on any thread
   */
  void giveToShare(
      ShareKey share, Message message, @Nullable PublishId id, PublishListener listener);
}
