package io.fjordmq.broker.session;

import io.fjordmq.inbox.Attachment;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Opens the session of an authenticated client in steps, some of which wait for stores: an older
 * connection of the client releases the session state, the inbox is attached, and the subscriptions
 * are restored. If the session ends in the meantime, its resources are released after the step in
 * progress. Only used on the event loop.
 *
 * @param session a registered session
 * @param resumeQueue the queue of resumed sessions whose subscriptions must be restored
 * @param listener called after the last step, unless the session has ended
 */
record SessionOpening(
    Session session, SessionServices services, ResumeQueue resumeQueue, Listener listener) {
  /** Receives the result when a session can be opened. */
  interface Listener {
    /**
     * @param sessionPresent the Session Present flag for the CONNACK
     */
    void onReady(boolean sessionPresent);
  }

  /**
   * Attaches the inbox once an older connection of the client on this node has released the session
   * state.
   */
  void begin() {
    CompletableFuture<Void> previousReleased = session.registration().previousReleased();
    if (previousReleased.isDone()) {
      attachInbox();
    } else {
      // Run in a separate task to avoid recursion: thousands of connections of one client may wait
      // in a chain, and most may have ended already.
      previousReleased.thenRun(() -> session.eventLoop().execute(this::attachInbox));
    }
  }

  /** Attaches the inbox. The client has no other connection on this node at this point. */
  private void attachInbox() {
    if (session.isEnded()) {
      session.releaseResources();
      return;
    }
    session.ownership().acquire(this::onAttached);
  }

  private void onAttached(@Nullable Attachment attachment, @Nullable Throwable error) {
    if (error != null) {
      if (!session.isEnded()) {
        StoreFailure.end(session.connection(), error, "attaching the session");
      }
      session.releaseResources();
      return;
    }
    session.onAttached(attachment);
    if (session.isEnded()) {
      session.releaseResources();
      return;
    }
    boolean present = attachment != null && attachment.sessionPresent();
    session
        .connection()
        .whenDone(
            new SubscriptionRestorer(services, session, resumeQueue).restore(attachment),
            (done, failure) -> onSubscriptionsRestored(present, failure));
  }

  private void onSubscriptionsRestored(boolean present, @Nullable Throwable error) {
    if (error != null && !session.isEnded()) {
      StoreFailure.end(session.connection(), error, "restoring subscriptions");
    }
    if (session.isEnded()) {
      session.releaseResources();
    } else {
      listener.onReady(present);
    }
  }
}
