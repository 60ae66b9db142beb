package io.fjordmq.broker.delivery;

import io.fjordmq.api.Will;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.PublishId;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Publishes wills (MQTT 5.0 §3.1.2.5). They are kept, with their delay, by the inbox store, those
 * of transient sessions as well: such a session ends with its connection, and so its will is due
 * then (MQTT-3.1.3-9), though the node may be dead. Thread-safe.
 */
public final class WillService {
  private final PublishRouter publishRouter;
  private final InstantSource clock;

  public WillService(PublishRouter publishRouter, InstantSource clock) {
    this.publishRouter = publishRouter;
    this.clock = clock;
  }

  /**
   * Publishes a will now; its lifetime begins now.
   *
   * @param since its place among the client's connections
   */
  void publish(
      String tenant,
      Will will,
      ConnectOrder since,
      @Nullable PublishId id,
      PublishListener listener) {
    publishRouter.publish(tenant, will.messageAt(clock.millis()), since, id, listener);
    publishRouter.flush();
  }
}
