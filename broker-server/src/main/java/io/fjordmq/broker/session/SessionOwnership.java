package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ConnectRequest;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.SessionUser;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires a connecting client's state for its connection: attaches the inbox or, for a transient
 * session, discards it. In both cases, the CONNECT gets its connect order, and older connections on
 * other nodes are closed. After the connection has ended, the inbox is detached.
 */
final class SessionOwnership {
  private static final Logger LOG = LoggerFactory.getLogger(SessionOwnership.class);

  /** The session that owns the state or is acquiring it. */
  interface Client {
    Connection connection();

    /** The session's entry in the registry of connected clients. */
    Registration registration();
  }

  /** Receives the acquired state. Called on the event loop. */
  @FunctionalInterface
  interface Listener {
    /**
     * @param attachment the attachment of the inbox; null if there is none
     * @param error the cause of the failure; null on success
     */
    void onAcquired(@Nullable Attachment attachment, @Nullable Throwable error);
  }

  /**
   * Describes how the connection has ended.
   *
   * @param wasOpen whether the client got a CONNACK
   * @param sentBelow the exclusive upper bound of the inbox sequences that were sent
   * @param expirySeconds the session expiry interval that the client set last
   * @param closesIn the time after which the connection will be closed if the session has ended
   *     with the node's incarnation; otherwise null
   */
  record ConnectionEnd(
      CloseReason reason,
      boolean wasOpen,
      long sentBelow,
      long expirySeconds,
      @Nullable Duration closesIn) {
    boolean publishesWill() {
      return wasOpen && !reason.discardsWill();
    }
  }

  private final SessionServices services;
  private final Client client;
  private @Nullable InboxHandle handle;

  /** Whether the inbox only holds a transient session's will or exclusive user. */
  private boolean isTransient;

  private boolean lost;

  SessionOwnership(SessionServices services, Client client) {
    this.services = services;
    this.client = client;
  }

  void acquire(Listener listener) {
    ConnectRequest request = client.connection().request();
    isTransient = request.cleanStart() && request.expirySeconds() == 0;
    if (isTransient && request.will() == null && !user().exclusive()) {
      discard(listener);
    } else {
      attach(request, listener);
    }
  }

  private void discard(Listener listener) {
    client
        .connection()
        .whenDone(
            services.inboxes().discard(id()),
            (discardResult, error) -> {
              if (discardResult != null) {
                removeRoutes(discardResult.discarded());
                applyConnectOrder(discardResult.connectOrder());
              }
              listener.onAcquired(null, error);
            });
  }

  /**
   * Attaches the inbox. A session that is resumed but ends with this connection (Clean Start 0,
   * expiry 0) is persistent until then. The inbox of a transient session only holds its will, which
   * must be published even if this node crashes, and its exclusive user, so that all nodes refuse
   * other users.
   */
  private void attach(ConnectRequest request, Listener listener) {
    AttachRequest attach =
        new AttachRequest(
            request.cleanStart(),
            services.self().id(),
            services.self().incarnation(),
            isTransient ? 0 : Math.max(1, request.expirySeconds()),
            request.will(),
            services.tenants().of(client.connection().tenant()).inbox(),
            isTransient && !user().exclusive() ? null : user());
    client
        .connection()
        .whenDone(
            services.inboxes().attach(id(), attach),
            (attachment, error) -> {
              if (attachment == null) {
                listener.onAcquired(null, error);
                return;
              }
              removeRoutes(attachment.discarded());
              applyConnectOrder(attachment.connectOrder());
              handle = attachment.handle();
              listener.onAcquired(isTransient ? null : attachment, error);
            });
  }

  private void applyConnectOrder(ConnectOrder connectOrder) {
    client.connection().setConnectOrder(connectOrder);
    services.registry().setConnectOrder(client.registration(), connectOrder);
  }

  /**
   * Records that another connection has taken over an inbox. If the inbox belongs to this session,
   * {@link #release} does not detach it.
   *
   * @return whether this session has lost its inbox
   */
  boolean markLost(InboxHandle inbox) {
    lost |= inbox.equals(handle);
    return inbox.equals(handle);
  }

  /**
   * Detaches the inbox from this connection, if there is one.
   *
   * @param then called when done, even after a failure
   */
  void release(ConnectionEnd end, Runnable then) {
    InboxHandle inbox = handle;
    if (inbox == null || lost) {
      then.run();
      return;
    }
    detach(inbox, isTransient ? 0 : end.sentBelow(), isTransient ? 0 : end.expirySeconds(), end)
        .whenComplete(
            (done, error) -> {
              if (error != null && !StoreFailure.isFenced(error)) {
                Connection connection = client.connection();
                connection.storeFailures().onDetachFailed(connection, error);
              }
              then.run();
            });
  }

  private CompletableFuture<Void> detach(
      InboxHandle inbox, long sentBelow, long expirySeconds, ConnectionEnd end) {
    InboxStore inboxes = services.inboxes();
    Duration closesIn = end.closesIn();
    if (closesIn != null) {
      return inboxes.detachAtClose(inbox, sentBelow, expirySeconds, closesIn);
    }
    return end.publishesWill() && mayReconnectElsewhere(end.reason())
        ? inboxes.detachWithGrace(inbox, sentBelow, expirySeconds)
        : inboxes.detach(inbox, sentBelow, expirySeconds, end.publishesWill());
  }

  /**
   * Whether the client may be alive and reconnecting to another node, because this node has
   * disconnected it or has not responded to it for lack of a lease.
   */
  private boolean mayReconnectElsewhere(CloseReason reason) {
    return reason == CloseReason.NODE_DOWN
        || (reason != CloseReason.CLIENT_DISCONNECT_WITH_WILL
            && services.servingState().notServingReason() != null);
  }

  private SessionUser user() {
    Connection connection = client.connection();
    return connection.settings().bindClientIdTo().user(connection.access().client());
  }

  private InboxId id() {
    return new InboxId(client.connection().tenant(), client.connection().clientId());
  }

  /**
   * Removes routes to an inbox that no longer exists. Such routes are harmless, so nothing waits
   * for their removal.
   */
  private void removeRoutes(Attachment.@Nullable Discarded discarded) {
    if (discarded == null) {
      return;
    }
    services
        .routes()
        .removeAll(id(), discarded.incarnation(), discarded.subscriptions())
        .exceptionally(
            error -> {
              LOG.debug(
                  "Failed to remove the routes of an ended session; the next matching PUBLISH will"
                      + " remove them session={}",
                  id(),
                  error);
              return null;
            });
  }
}
