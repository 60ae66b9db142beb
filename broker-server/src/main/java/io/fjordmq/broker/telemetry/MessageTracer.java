package io.fjordmq.broker.telemetry;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import org.jspecify.annotations.Nullable;

/**
 * Begins the spans of messages that their publishers trace: those with a user property {@code
 * traceparent} whose sampled flag is set. Thread-safe; does not block.
 */
public interface MessageTracer {
  /**
   * Begins a span for a PUBLISH that a client has sent.
   *
   * @param clientId the publisher
   * @return null if the message is not traced
   */
  @Nullable PublishSpan beginPublish(Message message, String tenant, String clientId);

  /**
   * Begins a span for the delivery of a message to a client.
   *
   * @param clientId the receiver
   * @param qos the QoS of the delivery
   * @return null if the message is not traced, or has been delivered to many other clients
   */
  @Nullable MessageSpan beginDelivery(Message message, String tenant, String clientId, Qos qos);
}
