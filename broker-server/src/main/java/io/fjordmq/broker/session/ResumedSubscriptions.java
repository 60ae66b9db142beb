package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.LiveSession;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxSubscription;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a session has subscribed to on earlier connections, for the one it has now: as its inbox
 * says, whatever the router and this node have heard of it.
 */
record ResumedSubscriptions(SessionServices services, LiveSession session) {

  /** Completes when all of them work; fails as the stores do. On the event loop. */
  CompletableFuture<Void> resume(@Nullable Attachment attachment) {
    return attachment == null
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.allOf(
            attachment.subscriptions().stream()
                .map(kept -> resume(attachment.handle(), kept))
                .toArray(CompletableFuture<?>[]::new));
  }

  /** Messages of QoS 0 do not go through the inbox: this node has to hear of the filter again. */
  private CompletableFuture<Boolean> resume(InboxHandle inbox, InboxSubscription kept) {
    return services
        .routes()
        .confirm(inbox.id(), inbox.incarnation(), kept)
        .thenCompose(done -> services.live().subscribe(session, kept.filter(), kept.options()));
  }
}
