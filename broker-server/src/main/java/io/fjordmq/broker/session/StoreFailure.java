package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.inbox.InboxBoundException;
import io.fjordmq.inbox.InboxFencedException;
import java.util.concurrent.CompletionException;

/**
 * Ends a session after a store failed. The range client has already retried, so the connection is
 * closed; the client resends unacknowledged packets when it reconnects.
 */
final class StoreFailure {
  /** The client whose session ends. */
  interface Client extends StoreFailureLog.Client {
    ConnectRequest request();

    ClientAccess access();

    /** Ends its session. */
    void fail(CloseReason reason, String detail);
  }

  private StoreFailure() {}

  static void end(Client client, Throwable error, String activity) {
    if (isFenced(error)) {
      client.fail(CloseReason.SESSION_TAKEN_OVER, "session taken over by another connection");
      return;
    }
    if (causeOf(error) instanceof InboxBoundException) {
      ProtocolViolation refusal =
          ClientIdOwner.refuse(client.access(), client.request().protocolLevel());
      client.fail(refusal.reason(), refusal.detail());
      return;
    }
    client.storeFailures().onDisconnect(client, activity, causeOf(error));
    client.fail(CloseReason.SERVER_UNAVAILABLE, activity + " failed");
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
