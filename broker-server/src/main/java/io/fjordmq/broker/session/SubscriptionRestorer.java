package io.fjordmq.broker.session;

import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxSubscription;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Restores all subscriptions listed in the inbox of a persistent session for its new connection,
 * regardless of which routes already exist. If the client disconnects while the session is waiting
 * in the {@link ResumeQueue}, nothing is done; a session with many filters stops after the current
 * batch.
 */
record ResumedSubscriptions(SessionServices services, Session session, ResumeQueue queue) {
  /** The maximum number of subscriptions of one session that are in progress. */
  static final int BATCH = 500;

  /**
   * Restores the subscriptions. The future completes when all of them are effective or the session
   * has ended, and fails if a store fails. Called on the event loop.
   */
  CompletableFuture<Void> resume(@Nullable Attachment attachment) {
    int total = attachment == null ? 0 : attachment.subscriptions().size();
    return attachment == null || total == 0
        ? CompletableFuture.completedFuture(null)
        : queue.run(
            session, Math.min(BATCH, total), () -> inEventLoop(() -> resume(attachment, 0)));
  }

  private CompletableFuture<Void> resume(Attachment attachment, int from) {
    int total = attachment.subscriptions().size();
    if (session.isEnded()) {
      return CompletableFuture.completedFuture(null);
    }
    int to = Math.min(from + BATCH, total);
    CompletableFuture<Void> batch =
        resume(attachment.handle(), attachment.subscriptions().subList(from, to));
    return to == total
        ? batch
        : batch.thenComposeAsync(done -> resume(attachment, to), session.eventLoop());
  }

  /** Runs the work on the event loop, because the queue may call it on any thread. */
  private CompletableFuture<Void> inEventLoop(Supplier<CompletableFuture<Void>> work) {
    if (session.inEventLoop()) {
      return work.get();
    }
    Executor eventLoop = session.eventLoop();
    try {
      return CompletableFuture.supplyAsync(work, eventLoop).thenCompose(done -> done);
    } catch (RejectedExecutionException e) { // the node is shutting down
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Void> resume(InboxHandle inbox, List<InboxSubscription> part) {
    return CompletableFuture.allOf(
        part.stream()
            .map(subscription -> resume(inbox, subscription))
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Restores one subscription. QoS 0 messages bypass the inbox, so a live subscription on this node
   * is needed as well.
   */
  private CompletableFuture<Boolean> resume(InboxHandle inbox, InboxSubscription subscription) {
    return services
        .routes()
        .confirm(inbox.id(), inbox.incarnation(), subscription)
        .thenCompose(
            done ->
                services.live().subscribe(session, subscription.filter(), subscription.options()));
  }
}
