package io.fjordmq.api.plugin;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens to clients, one event after the other on a thread of its own. Events wait in
 * a queue of {@code securityConfig.maxWaitingEvents}; when it is full they are dropped and counted:
 * a slow listener never slows clients down.
 */
public interface ClientEventListener extends Extension {

  /** A client has been accepted. */
  default void connected(ClientInfo client) {}

  /**
   * A client that was accepted has gone.
   *
   * @param reason as the metric {@code fjordmq_connections_closed_total} names it
   */
  default void disconnected(ClientInfo client, String reason) {}

  /** A subscription works. */
  default void subscribed(ClientInfo client, TopicFilter filter, Qos qos) {}

  /** A subscription has ended by UNSUBSCRIBE. */
  default void unsubscribed(ClientInfo client, String filter) {}

  /** Somebody may not do something. */
  default void denied(Denial denial) {}

  /**
   * Messages for or from a client were dropped.
   *
   * @param reason as the metric {@code fjordmq_messages_dropped_total} names it
   */
  default void dropped(ClientInfo client, String reason, long count) {}

  /**
   * A denial.
   *
   * @param tenant null if the client was not accepted
   * @param action what it wanted, in words: {@code connect}, {@code publish to a/b}
   * @param by the provider that decided; empty if nobody had an opinion
   */
  record Denial(
      @Nullable String tenant,
      String clientId,
      @Nullable String userName,
      String action,
      String by) {}
}
