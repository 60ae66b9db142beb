package io.fjordmq.broker.telemetry;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import org.jspecify.annotations.Nullable;

/**
 * Begins the spans of messages that their publishers trace: those with a user property {@code
 * traceparent} whose sampled flag is set. Thread-safe; does not block.
 */
public interface MessageTracer {
  /** Where a message comes from. */
  enum Origin {
    /** A PUBLISH of a client. */
    CLIENT,
    /** The will of a client. */
    WILL,
    /** A request to the API. */
    API
  }

  /**
   * Begins a span for a message that is published.
   *
   * @param clientId the publisher; empty if there is none
   * @return null if the message is not traced
   */
  @Nullable PublishSpan beginPublish(
      Message message, String tenant, String clientId, Origin origin);

  /**
   * Begins a span for the delivery of a message to a client.
   *
   * @param clientId the receiver
   * @param qos the QoS of the delivery
   * @return null if the message is not traced, or has been delivered to many other clients
   */
  @Nullable MessageSpan beginDelivery(Message message, String tenant, String clientId, Qos qos);
}
