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
 * says, whatever the router and this node have heard of it. A session with many filters takes one
 * turn after another ({@link ResumeTurns}) and stops between two of them if its client has gone.
 */
record ResumedSubscriptions(SessionServices services, Session session, ResumeTurns turns) {
  /** Subscriptions in one turn. */
  static final int OF_A_TURN = 500;

  /**
   * Completes when all of them work, or when the session has ended; fails as the stores do. On the
   * event loop.
   */
  CompletableFuture<Void> resume(@Nullable Attachment attachment) {
    return attachment == null ? CompletableFuture.completedFuture(null) : resume(attachment, 0);
  }

  private CompletableFuture<Void> resume(Attachment attachment, int from) {
    int to = Math.min(from + OF_A_TURN, attachment.subscriptions().size());
    if (from == to || session.isEnded()) {
      return CompletableFuture.completedFuture(null);
    }
    List<InboxSubscription> part = attachment.subscriptions().subList(from, to);
    CompletableFuture<Void> turn =
        turns.run(part.size(), () -> inEventLoop(() -> resume(attachment.handle(), part)));
    return to == attachment.subscriptions().size()
        ? turn
        : turn.thenComposeAsync(done -> resume(attachment, to), session.eventLoop());
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
    if (session.isEnded()) { // while it waited for its turn
      return CompletableFuture.completedFuture(null);
    }
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
