package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.inbox.InboxBoundException;
import io.fjordmq.inbox.InboxFencedException;
import java.util.concurrent.CompletionException;

/**
 * Ends a session after a store operation has failed. The range client has already retried the
 * operation, so the connection is closed. The client resends unacknowledged packets when it
 * reconnects.
 */
final class StoreFailure {
  /** The client whose session ends. */
  interface Client extends StoreFailureLog.Client {
    ConnectRequest request();

    ClientAccess access();

    /** Ends the client's session. */
    void fail(CloseReason reason, String detail);
  }

  private StoreFailure() {}

  static void end(Client client, Throwable error, String activity) {
    if (isFenced(error)) {
      client.fail(
          CloseReason.SESSION_TAKEN_OVER, "the session was taken over by another connection");
      return;
    }
    if (causeOf(error) instanceof InboxBoundException) {
      ProtocolViolation refusal =
          ClientIdOwnerCheck.recordRefusal(client.access(), client.request().protocolLevel());
      client.fail(refusal.reason(), refusal.detail());
      return;
    }
    client.storeFailures().onDisconnect(client, activity, causeOf(error));
    client.fail(CloseReason.SERVER_UNAVAILABLE, activity + " failed");
  }

  /**
   * Whether the operation failed because another connection has taken over the inbox, which is not
   * a store failure.
   */
  static boolean isFenced(Throwable error) {
    return causeOf(error) instanceof InboxFencedException;
  }

  private static Throwable causeOf(Throwable error) {
    return error instanceof CompletionException && error.getCause() != null
        ? error.getCause()
        : error;
  }
}
