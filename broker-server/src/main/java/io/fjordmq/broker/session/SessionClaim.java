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
 * Makes a connecting client's state this connection's: its inbox, or for a transient session that
 * there is none any more. Either way the CONNECT gets its place among all of the client, and older
 * connections at other nodes are closed. Gives the inbox back when the connection has ended.
 */
record SessionClaim(SessionServices services, Session mine) {
  private static final Logger LOG = LoggerFactory.getLogger(SessionClaim.class);

  /** Told on the event loop. */
  @FunctionalInterface
  interface Listener {
    /**
     * @param attachment of a persistent session
     * @param error why it failed; null if it did not
     */
    void claimed(@Nullable Attachment attachment, @Nullable Throwable error);
  }

  void begin(Listener listener) {
    ConnectRequest request = mine.connection().request();
    boolean isTransient = request.cleanStart() && request.expirySeconds() == 0;
    if (isTransient && request.will() == null && !user().exclusive()) {
      discard(listener);
    } else {
      attach(request, isTransient, listener);
    }
  }

  private void discard(Listener listener) {
    mine.connection()
        .whenDone(
            services.inboxes().discard(id()),
            (discardResult, error) -> {
              if (discardResult != null) {
                removeRoutes(discardResult.discarded());
                claimed(discardResult.connectOrder());
              }
              listener.claimed(null, error);
            });
  }

  /**
   * A session that is resumed only to end with this connection (Clean Start 0, expiry 0) is a
   * persistent one until then. The inbox of a transient one holds nothing but its will, which is to
   * be published though this node dies, and an exclusive user, so that other nodes refuse others.
   */
  private void attach(ConnectRequest request, boolean isTransient, Listener listener) {
    AttachRequest attach =
        new AttachRequest(
            request.cleanStart(),
            services.self().id(),
            services.self().incarnation(),
            isTransient ? 0 : Math.max(1, request.expirySeconds()),
            request.will(),
            services.tenants().of(mine.tenant()).inbox(),
            isTransient && !user().exclusive() ? null : user());
    mine.connection()
        .whenDone(
            services.inboxes().attach(id(), attach),
            (attachment, error) -> {
              if (attachment == null) {
                listener.claimed(null, error);
                return;
              }
              removeRoutes(attachment.discarded());
              claimed(attachment.connectOrder());
              if (isTransient) {
                mine.willKept(attachment.handle());
              }
              listener.claimed(isTransient ? null : attachment, error);
            });
  }

  private void claimed(ConnectOrder connectOrder) {
    mine.connection().claimed(connectOrder);
    services.registry().claimed(mine.registration(), connectOrder);
  }

  /**
   * The inbox is this connection's no more.
   *
   * @param sentBelow it has sent no entry from this sequence on
   * @param expiresAfter seconds
   * @param then whatever comes of it
   */
  void giveBack(
      InboxHandle inbox, long sentBelow, long expiresAfter, boolean publishWill, Runnable then) {
    giveBack(services.inboxes().detach(inbox, sentBelow, expiresAfter, publishWill), then);
  }

  /** The same when it is this node that goes, not the client. */
  void giveUp(InboxHandle inbox, long sentBelow, long expiresAfter, Runnable then) {
    giveBack(services.inboxes().giveUp(inbox, sentBelow, expiresAfter), then);
  }

  private void giveBack(CompletableFuture<Void> detached, Runnable then) {
    detached.whenComplete(
        (done, error) -> {
          if (error != null && !StoreFailure.isFenced(error)) {
            LOG.warn(
                "Could not detach an inbox, retrying; the client can reconnect meanwhile: {} "
                    + "client={} tenant={}",
                error.toString(),
                mine.clientId(),
                mine.tenant());
          }
          then.run();
        });
  }

  private SessionUser user() {
    Connection connection = mine.connection();
    return connection.settings().bindClientIdTo().user(connection.access().client());
  }

  private InboxId id() {
    return new InboxId(mine.tenant(), mine.clientId());
  }

  /** Routes to an inbox that is no more. They lead nowhere, so nobody waits for it. */
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
                  "Routes of the former session {} stay until they are followed", id(), error);
              return null;
            });
  }
}
