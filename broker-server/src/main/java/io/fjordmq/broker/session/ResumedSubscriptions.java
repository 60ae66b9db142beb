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
 * What a session has subscribed to on earlier connections, for the one it has now: as its inbox
 * says, whatever the router and this node have heard of it. A session that waits for its turn
 * ({@link ResumeQueue}) does nothing if its client disconnects; one with many filters stops between
 * two batches.
 */
record ResumedSubscriptions(SessionServices services, Session session, ResumeQueue turns) {
  /** Most subscriptions of a session under way at the same time. */
  static final int BATCH = 500;

  /**
   * Completes when all of them work, or when the session has ended; fails as the stores do. On the
   * event loop.
   */
  CompletableFuture<Void> resume(@Nullable Attachment attachment) {
    int all = attachment == null ? 0 : attachment.subscriptions().size();
    return attachment == null || all == 0
        ? CompletableFuture.completedFuture(null)
        : turns.run(session, Math.min(BATCH, all), () -> inEventLoop(() -> resume(attachment, 0)));
  }

  private CompletableFuture<Void> resume(Attachment attachment, int from) {
    int all = attachment.subscriptions().size();
    if (session.isEnded()) {
      return CompletableFuture.completedFuture(null);
    }
    int to = Math.min(from + BATCH, all);
    CompletableFuture<Void> batch =
        resume(attachment.handle(), attachment.subscriptions().subList(from, to));
    return to == all
        ? batch
        : batch.thenComposeAsync(done -> resume(attachment, to), session.eventLoop());
  }

  /** A turn may come on any thread. */
  private CompletableFuture<Void> inEventLoop(Supplier<CompletableFuture<Void>> work) {
    if (session.inEventLoop()) {
      return work.get();
    }
    Executor eventLoop = session.eventLoop();
    try {
      return CompletableFuture.supplyAsync(work, eventLoop).thenCompose(done -> done);
    } catch (RejectedExecutionException e) { // the node stops
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Void> resume(InboxHandle inbox, List<InboxSubscription> part) {
    return CompletableFuture.allOf(
        part.stream().map(kept -> resume(inbox, kept)).toArray(CompletableFuture<?>[]::new));
  }

  /** Messages of QoS 0 do not go through the inbox: this node has to hear of the filter again. */
  private CompletableFuture<Boolean> resume(InboxHandle inbox, InboxSubscription kept) {
    return services
        .routes()
        .confirm(inbox.id(), inbox.incarnation(), kept)
        .thenCompose(done -> services.live().subscribe(session, kept.filter(), kept.options()));
  }
}
