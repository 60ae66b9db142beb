package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.inbox.PublishId;
import org.jspecify.annotations.Nullable;

/**
 * What a PUBLISH means: keep it if retained, match it, hand it to every receiver. Thread-safe;
 * nothing blocks.
 */
public interface Publisher {

  /**
   * Publishes a message. Messages of one publisher are distributed in the order of the calls.
   *
   * @param id set if the publisher may repeat the message after a lost connection or a restart (QoS
   *     2, wills): inboxes store it once
   */
  void publish(String tenant, Message message, @Nullable PublishId id, PublishListener listener);

  /**
   * Ends a batch of calls made by one event loop: hands the collected live deliveries to the other
   * event loops. Called at the end of each read; a batch left open is handed over by the next call.
   */
  void flush();
}
