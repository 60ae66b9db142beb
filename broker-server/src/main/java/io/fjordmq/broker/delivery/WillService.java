package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Will;
import io.fjordmq.broker.telemetry.MessageTracer;
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
  private final @Nullable MessageTracer tracer;

  /**
   * @param tracer begins the spans of traced wills; null if there are none
   */
  WillService(PublishRouter publishRouter, InstantSource clock, @Nullable MessageTracer tracer) {
    this.publishRouter = publishRouter;
    this.clock = clock;
    this.tracer = tracer;
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
    Message message = will.messageAt(clock.millis());
    publishRouter.publish(
        tenant,
        message,
        connectOrder,
        id,
        TracedPublish.of(tracer, MessageTracer.Origin.WILL, tenant, message, listener));
    publishRouter.flush();
  }
}
