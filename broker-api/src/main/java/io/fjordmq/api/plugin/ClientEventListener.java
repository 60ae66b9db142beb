package io.fjordmq.api.plugin;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * Receives events about clients, one at a time, on a dedicated thread. The broker queues up to
 * {@code securityConfig.maxWaitingEvents} events. It drops and counts events that do not fit, so
 * that a slow listener never delays clients.
 */
public interface ClientEventListener extends Extension {

  /** A client has connected and was accepted. */
  default void onConnected(ClientInfo client) {}

  /**
   * The connection of an accepted client has ended.
   *
   * @param reason the {@code reason} label of {@code fjordmq_connections_closed_total}
   */
  default void onDisconnected(ClientInfo client, String reason) {}

  /** A subscription has become effective. */
  default void onSubscribed(ClientInfo client, TopicFilter filter, Qos qos) {}

  /** A client has removed a subscription with UNSUBSCRIBE. */
  default void onUnsubscribed(ClientInfo client, String filter) {}

  /** A connection, PUBLISH or SUBSCRIBE was denied. */
  default void onDenied(Denial denial) {}

  /**
   * Messages for or from a client were dropped.
   *
   * @param reason the {@code reason} label of {@code fjordmq_messages_dropped_total}
   */
  default void onDropped(ClientInfo client, String reason, long count) {}

  /**
   * A request that was denied.
   *
   * @param tenant null if the client was not accepted
   * @param action description of the request, such as {@code connect} or {@code publish to a/b}
   * @param by the provider that denied it; empty if all of them passed
   */
  record Denial(
      @Nullable String tenant,
      String clientId,
      @Nullable String userName,
      String action,
      String by) {}
}
