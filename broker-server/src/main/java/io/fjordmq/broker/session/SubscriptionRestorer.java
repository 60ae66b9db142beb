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
 * Restores the subscriptions of a persistent session when its client reconnects: adds missing
 * routes to the inbox, and subscribes the connection on this node. A client may disconnect before
 * all of its subscriptions are restored: if its session is still waiting in the {@link
 * ResumeQueue}, nothing is restored; otherwise, only the current batch is completed.
 */
record SubscriptionRestorer(SessionServices services, Session session, ResumeQueue queue) {
  /** The maximum number of subscriptions of one session that are in progress. */
  static final int BATCH = 500;

  /**
   * Restores all subscriptions of the inbox; does nothing for a transient session. The future
   * completes when all subscriptions are effective or the session has ended, and fails if a store
   * fails. Called on the event loop.
   */
  CompletableFuture<Void> restore(@Nullable Attachment attachment) {
    int total = attachment == null ? 0 : attachment.subscriptions().size();
    return attachment == null || total == 0
        ? CompletableFuture.completedFuture(null)
        : queue.run(
            session, Math.min(BATCH, total), () -> inEventLoop(() -> restore(attachment, 0)));
  }

  private CompletableFuture<Void> restore(Attachment attachment, int from) {
    int total = attachment.subscriptions().size();
    if (session.isEnded()) {
      return CompletableFuture.completedFuture(null);
    }
    int to = Math.min(from + BATCH, total);
    CompletableFuture<Void> batch =
        restore(attachment.handle(), attachment.subscriptions().subList(from, to));
    return to == total
        ? batch
        : batch.thenComposeAsync(done -> restore(attachment, to), session.eventLoop());
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

  private CompletableFuture<Void> restore(InboxHandle inbox, List<InboxSubscription> part) {
    return CompletableFuture.allOf(
        part.stream()
            .map(subscription -> restore(inbox, subscription))
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Restores one subscription. QoS 0 messages bypass the inbox, so a live subscription on this node
   * is needed as well.
   */
  private CompletableFuture<Boolean> restore(InboxHandle inbox, InboxSubscription subscription) {
    return services
        .routes()
        .addIfMissing(inbox.id(), inbox.incarnation(), subscription)
        .thenCompose(
            done ->
                services.live().subscribe(session, subscription.filter(), subscription.options()));
  }
}
