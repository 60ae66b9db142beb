package io.fjordmq.api.plugin;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * Receives events about clients, one at a time, on a dedicated thread. The broker queues up to
 * {@code securityConfig.maxWaitingEvents} events. If the queue is full, it drops and counts further
 * events, so that a slow listener never delays clients.
 *
 * @since 0.1.0
 */
public interface ClientEventListener extends Extension {

  /** Called after the broker has accepted a client. */
  default void onConnected(ClientInfo client) {}

  /**
   * Called after the connection of an accepted client has ended.
   *
   * @param reason the {@code reason} label of {@code fjordmq_connections_closed_total}
   */
  default void onDisconnected(ClientInfo client, String reason) {}

  /** Called after a subscription has become effective. */
  default void onSubscribed(ClientInfo client, TopicFilter filter, Qos qos) {}

  /** Called after a client has removed a subscription with UNSUBSCRIBE. */
  default void onUnsubscribed(ClientInfo client, String filter) {}

  /** Called after a connection, a PUBLISH or a SUBSCRIBE was denied. */
  default void onDenied(Denial denial) {}

  /**
   * Called after messages for or from a client were dropped.
   *
   * @param reason the {@code reason} label of {@code fjordmq_messages_dropped_total}
   */
  default void onDropped(ClientInfo client, String reason, long count) {}

  /**
   * A request that was denied.
   *
   * @param tenant null if the client was not accepted
   * @param action description of the request, such as {@code connect} or {@code publish to a/b}
   * @param by the provider that denied it; empty if all providers passed
   */
  record Denial(
      @Nullable String tenant,
      String clientId,
      @Nullable String userName,
      String action,
      String by) {}
}
