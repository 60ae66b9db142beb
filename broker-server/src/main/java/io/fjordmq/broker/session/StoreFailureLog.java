package io.fjordmq.broker.session;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.limits.RateLimitedLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failed store operations of sessions. While a store is unavailable, operations fail for every
 * client and filter, so each kind of log line is rate-limited across the whole node. Thread-safe.
 */
final class StoreFailureLog {
  /** The client whose operation failed. */
  interface Client {
    String tenant();

    String clientId();

    /** The log, which all clients share. */
    StoreFailureLog storeFailures();
  }

  private static final Logger LOG = LoggerFactory.getLogger(StoreFailureLog.class);

  private final RateLimitedLog disconnects = new RateLimitedLog();
  private final RateLimitedLog detaches = new RateLimitedLog();
  private final RateLimitedLog subscriptions = new RateLimitedLog();
  private final RateLimitedLog retained = new RateLimitedLog();

  /** Logs that a client is disconnected because an operation failed. */
  void onDisconnect(Client client, String activity, Throwable cause) {
    @Nullable String suppressed = disconnects.permit();
    if (suppressed != null) {
      LOG.warn(
          "Disconnected a client: {} failed: {}{} client={} tenant={}",
          activity,
          cause.toString(),
          suppressed,
          client.clientId(),
          client.tenant());
    }
  }

  void onDetachFailed(Client client, Throwable cause) {
    @Nullable String suppressed = detaches.permit();
    if (suppressed != null) {
      LOG.warn(
          "Failed to detach an inbox; retrying, and the client can reconnect in the meantime: {}{}"
              + " client={} tenant={}",
          cause.toString(),
          suppressed,
          client.clientId(),
          client.tenant());
    }
  }

  /**
   * Logs a failed subscription change, which is reported to the client in the SUBACK or UNSUBACK.
   */
  void onSubscriptionChangeFailed(Client client, Throwable cause) {
    @Nullable String suppressed = subscriptions.permit();
    if (suppressed != null) {
      LOG.warn(
          "Failed to change a subscription: {}{} client={} tenant={}",
          cause.toString(),
          suppressed,
          client.clientId(),
          client.tenant());
    }
  }

  /** Logs that the remaining retained messages for a new subscription are dropped. */
  void onRetainedFailed(Client client, TopicFilter filter, @Nullable Throwable cause) {
    @Nullable String suppressed = retained.permit();
    if (suppressed != null) {
      LOG.warn(
          "Failed to deliver retained messages for a new subscription; dropping the rest: {}{}"
              + " filter={} client={} tenant={}",
          String.valueOf(cause),
          suppressed,
          filter,
          client.clientId(),
          client.tenant());
    }
  }
}
