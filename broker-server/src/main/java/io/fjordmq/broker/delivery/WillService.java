package io.fjordmq.broker.delivery;

import io.fjordmq.api.Will;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.PublishId;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Publishes wills (MQTT 5.0 §3.1.2.5). The inbox store keeps every will and its delay, even for
 * transient sessions. A transient session ends with its connection, so its will is due at that
 * moment (MQTT-3.1.3-9), even if the node has failed. Thread-safe.
 */
final class WillService {
  private final PublishRouter publishRouter;
  private final InstantSource clock;

  WillService(PublishRouter publishRouter, InstantSource clock) {
    this.publishRouter = publishRouter;
    this.clock = clock;
  }

  /**
   * Publishes a will. Its message expiry interval starts at the time of the call.
   *
   * @param connectOrder the connect order of the session's connection
   */
  void publish(
      String tenant,
      Will will,
      ConnectOrder connectOrder,
      @Nullable PublishId id,
      PublishListener listener) {
    publishRouter.publish(tenant, will.messageAt(clock.millis()), connectOrder, id, listener);
    publishRouter.flush();
  }
}
