package io.fjordmq.broker.session;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.session.FilterResults.Result;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxSubscription;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds and removes the subscriptions of one session: in its inbox, in the routes, and in the live
 * subscriptions of this node. A change is complete when it is effective on every node.
 *
 * <p>For a persistent session, the order is inbox row, route, live subscription (with QoS 0: inbox
 * row, live subscription, route), so that after a crash no route leads to a missing subscription.
 * Unsubscribing removes the inbox row last (decision 0006). Called on the event loop; results
 * complete on any thread.
 */
final class SubscriptionChanges {
  private static final int NO_SUBSCRIPTION_EXISTED = 0x11;

  private final Connection connection;
  private final LiveSession session;
  private final @Nullable InboxHandle handle;

  /**
   * @param attachment the inbox attachment of a persistent session; null for a transient session
   */
  SubscriptionChanges(Connection connection, LiveSession session, @Nullable Attachment attachment) {
    this.connection = connection;
    this.session = session;
    this.handle = attachment == null ? null : attachment.handle();
  }

  /** Adds a subscription; completes with the granted QoS or an error code. */
  CompletableFuture<Result> add(TopicFilter filter, SubscriptionOptions options) {
    int granted = options.maxQos().level();
    SessionServices services = connection.services();
    if (handle == null) {
      return failedResultOnError(
          () -> subscribeLive(filter, options).thenApply(isNew -> new Result(granted, isNew)));
    }
    InboxSubscription row = new InboxSubscription(filter, options);
    return failedResultOnError(
        () ->
            services
                .inboxes()
                .subscribe(handle, filter, options)
                .thenCompose(
                    existed ->
                        addRoute(handle, row).thenApply(done -> new Result(granted, !existed))));
  }

  /**
   * Adds the route to the inbox and the live subscription. The one that messages will use from now
   * on is added first, so that messages may be duplicated while a subscription is being replaced,
   * but none is lost (MQTT-3.8.4-4).
   */
  private CompletableFuture<?> addRoute(InboxHandle inbox, InboxSubscription row) {
    Supplier<CompletableFuture<Void>> stored =
        () -> connection.services().routes().add(inbox.id(), inbox.incarnation(), row);
    return row.options().maxQos() == Qos.AT_MOST_ONCE
        ? subscribeLive(row.filter(), row.options()).thenCompose(done -> stored.get())
        : stored.get().thenCompose(done -> subscribeLive(row.filter(), row.options()));
  }

  /**
   * Subscribes on the event loop, unless the session has ended; otherwise the subscription would
   * affect the client's next session.
   */
  private CompletableFuture<Boolean> subscribeLive(
      TopicFilter filter, SubscriptionOptions options) {
    if (!connection.loop().inEventLoop()) {
      return CompletableFuture.supplyAsync(() -> subscribeLive(filter, options), connection.loop())
          .thenCompose(subscribed -> subscribed);
    }
    return connection.isEnded()
        ? CompletableFuture.completedFuture(false)
        : connection.services().live().subscribe(session, filter, options);
  }

  /**
   * Removes a subscription; completes with 0, the code for "no subscription existed", or an error
   * code.
   */
  CompletableFuture<Result> remove(TopicFilter filter) {
    SessionServices services = connection.services();
    if (handle == null) {
      return failedResultOnError(
          () ->
              services
                  .live()
                  .unsubscribe(session, filter)
                  .thenApply(SubscriptionChanges::removeResult));
    }
    return failedResultOnError(
        () ->
            services
                .routes()
                .remove(handle.id(), handle.incarnation(), filter)
                .thenCompose(done -> services.live().unsubscribe(session, filter))
                .thenCompose(done -> services.inboxes().unsubscribe(handle, filter))
                .thenApply(SubscriptionChanges::removeResult));
  }

  private static Result removeResult(boolean existed) {
    return new Result(existed ? 0 : NO_SUBSCRIPTION_EXISTED, !existed);
  }

  private CompletableFuture<Result> failedResultOnError(Supplier<CompletableFuture<Result>> call) {
    return call.get()
        .exceptionally(
            error -> {
              if (StoreFailure.isFenced(error)) {
                connection
                    .loop()
                    .execute(() -> StoreFailure.end(connection, error, "changing subscriptions"));
              } else {
                connection.storeFailures().onSubscriptionChangeFailed(connection, error);
              }
              return Result.FAILED;
            });
  }
}
