package io.fjordmq.broker.session;

import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionUser;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires a connecting client's state for its connection: attaches the inbox, or discards it for a
 * transient session. Either way the CONNECT gets its connect order, and older connections on other
 * nodes are closed. Detaches the inbox when the connection has ended.
 */
record SessionOwnership(SessionServices services, Session session) {
  private static final Logger LOG = LoggerFactory.getLogger(SessionOwnership.class);

  /** Called on the event loop. */
  @FunctionalInterface
  interface Listener {
    /**
     * @param attachment of a persistent session
     * @param error the cause of the failure; null on success
     */
    void acquired(@Nullable Attachment attachment, @Nullable Throwable error);
  }

  void acquire(Listener listener) {
    ConnectRequest request = session.connection().request();
    boolean isTransient = request.cleanStart() && request.expirySeconds() == 0;
    if (isTransient && request.will() == null && !user().exclusive()) {
      discard(listener);
    } else {
      attach(request, isTransient, listener);
    }
  }

  private void discard(Listener listener) {
    session
        .connection()
        .whenDone(
            services.inboxes().discard(id()),
            (discardResult, error) -> {
              if (discardResult != null) {
                removeRoutes(discardResult.discarded());
                claimed(discardResult.connectOrder());
              }
              listener.acquired(null, error);
            });
  }

  /**
   * A session that is resumed but ends with this connection (Clean Start 0, expiry 0) is persistent
   * until then. The inbox of a transient session only holds its will, which has to be published
   * even if this node crashes, and an exclusive user, so that all nodes refuse other users.
   */
  private void attach(ConnectRequest request, boolean isTransient, Listener listener) {
    AttachRequest attach =
        new AttachRequest(
            request.cleanStart(),
            services.self().id(),
            services.self().incarnation(),
            isTransient ? 0 : Math.max(1, request.expirySeconds()),
            request.will(),
            services.tenants().of(session.tenant()).inbox(),
            isTransient && !user().exclusive() ? null : user());
    session
        .connection()
        .whenDone(
            services.inboxes().attach(id(), attach),
            (attachment, error) -> {
              if (attachment == null) {
                listener.acquired(null, error);
                return;
              }
              removeRoutes(attachment.discarded());
              claimed(attachment.connectOrder());
              if (isTransient) {
                session.willAttached(attachment.handle());
              }
              listener.acquired(isTransient ? null : attachment, error);
            });
  }

  private void claimed(ConnectOrder connectOrder) {
    session.connection().setConnectOrder(connectOrder);
    services.registry().claimed(session.registration(), connectOrder);
  }

  /**
   * Detaches the inbox from this connection.
   *
   * @param sentBelow no entry from this sequence on was sent
   * @param expiresAfter session expiry in seconds
   * @param then called in any case, even after a failure
   */
  void release(
      InboxHandle inbox, long sentBelow, long expiresAfter, boolean publishWill, Runnable then) {
    release(services.inboxes().detach(inbox, sentBelow, expiresAfter, publishWill), then);
  }

  /** Detaches the inbox because the node, not the client, ended the connection. */
  void abandon(InboxHandle inbox, long sentBelow, long expiresAfter, Runnable then) {
    release(services.inboxes().detachWithGrace(inbox, sentBelow, expiresAfter), then);
  }

  private void release(CompletableFuture<Void> detached, Runnable then) {
    detached.whenComplete(
        (done, error) -> {
          if (error != null && !StoreFailure.isFenced(error)) {
            LOG.warn(
                "Could not detach an inbox, retrying; the client can reconnect meanwhile: {} "
                    + "client={} tenant={}",
                error.toString(),
                session.clientId(),
                session.tenant());
          }
          then.run();
        });
  }

  private SessionUser user() {
    Connection connection = session.connection();
    return connection.settings().bindClientIdTo().user(connection.access().client());
  }

  private InboxId id() {
    return new InboxId(session.tenant(), session.clientId());
  }

  /**
   * Removes routes to an inbox that no longer exists. They are harmless, so nothing waits for it.
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
                  "Could not remove the routes of a former session; a match will remove them: "
                      + "session={}",
                  id(),
                  error);
              return null;
            });
  }
}
