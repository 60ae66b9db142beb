package io.fjordmq.broker.session;

import io.fjordmq.inbox.InboxBoundException;
import io.fjordmq.inbox.InboxFencedException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a session after a store failed. The range client has already retried, so the connection is
 * closed; the client resends unacknowledged packets when it reconnects.
 */
final class StoreFailure {
  private static final Logger LOG = LoggerFactory.getLogger(StoreFailure.class);

  private StoreFailure() {}

  static void end(Connection connection, Throwable error, String activity) {
    if (isFenced(error)) {
      connection.fail(CloseReason.SESSION_TAKEN_OVER, "session taken over by another connection");
      return;
    }
    if (causeOf(error) instanceof InboxBoundException) {
      ProtocolViolation refusal =
          ClientIdOwner.refuse(connection.access(), connection.request().protocolLevel());
      connection.fail(refusal.reason(), refusal.detail());
      return;
    }
    LOG.warn(
        "Disconnected a client: {} failed: {} client={} tenant={}",
        activity,
        causeOf(error).toString(),
        connection.clientId(),
        connection.tenant());
    connection.fail(CloseReason.SERVER_UNAVAILABLE, activity + " failed");
  }

  /** True if another connection has taken the inbox over, which is not a fault of the store. */
  static boolean isFenced(Throwable error) {
    return causeOf(error) instanceof InboxFencedException;
  }

  private static Throwable causeOf(Throwable error) {
    return error instanceof CompletionException && error.getCause() != null
        ? error.getCause()
        : error;
  }
}
