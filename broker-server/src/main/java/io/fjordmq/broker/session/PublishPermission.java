package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.ClientAccess;
import java.util.function.Consumer;

/** Checks whether a client may publish a message. Event loop only. */
final class PublishPermission {
  private final Connection connection;

  PublishPermission(Connection connection) {
    this.connection = connection;
  }

  /** Passes the decision on. If the authorizer has to be asked, the client's later packets wait. */
  void check(Message message, Consumer<AccessDecision> decided) {
    ClientAccess access = connection.access();
    AccessDecision known =
        access.mayPublish(
            message.topic(), message.qos(), message.retain(), message.acceptedAtMillis());
    if (known != null) {
      decided.accept(known);
      return;
    }
    connection.pause();
    connection.whileOpen(
        access.askPublish(message.topic(), message.qos(), message.retain()),
        (accessDecision, error) -> {
          if (accessDecision == null) {
            connection.fail(CloseReason.INTERNAL_ERROR, "authorization failed: " + error);
            return;
          }
          access.remember(message.topic(), message.qos(), message.retain(), accessDecision);
          connection.whenServed(() -> proceed(accessDecision, decided));
        });
  }

  private void proceed(AccessDecision accessDecision, Consumer<AccessDecision> decided) {
    try {
      decided.accept(accessDecision);
      connection.resume();
    } catch (ProtocolViolation violation) {
      connection.fail(violation.reason(), violation.detail());
    }
  }
}
