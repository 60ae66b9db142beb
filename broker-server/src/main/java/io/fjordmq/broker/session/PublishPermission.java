package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.ClientAccess;
import java.util.function.Consumer;

/** Checks whether a client may publish a message. Only used on the event loop. */
final class PublishPermission {
  /** The client that publishes. */
  interface Client extends ResultCallback.Receiver {
    ClientAccess access();

    /** Pauses the handling of the client's packets. */
    PacketPause pause();

    /** Ends the client's session. */
    void fail(CloseReason reason, String detail);
  }

  private final Client client;

  PublishPermission(Client client) {
    this.client = client;
  }

  /**
   * Passes the access decision to the callback. While an authorizer is deciding, later packets
   * wait.
   */
  void check(Message message, Consumer<AccessDecision> callback) {
    ClientAccess access = client.access();
    AccessDecision known =
        access.mayPublish(
            message.topic(), message.qos(), message.retain(), message.acceptedAtMillis());
    if (known != null) {
      callback.accept(known);
      return;
    }
    client.pause().beginAuthorization();
    client.whenDoneUnlessEnded(
        access.evaluatePublish(message.topic(), message.qos(), message.retain()),
        (accessDecision, error) -> {
          if (accessDecision == null) {
            client.fail(CloseReason.INTERNAL_ERROR, "authorization failed: " + error);
            return;
          }
          access.cacheDecision(message.topic(), message.qos(), message.retain(), accessDecision);
          client.pause().whenLeaseValid(() -> proceed(accessDecision, callback));
        });
  }

  private void proceed(AccessDecision accessDecision, Consumer<AccessDecision> callback) {
    try {
      callback.accept(accessDecision);
      client.pause().endAuthorization();
    } catch (ProtocolViolation violation) {
      client.fail(violation.reason(), violation.detail());
    }
  }
}
