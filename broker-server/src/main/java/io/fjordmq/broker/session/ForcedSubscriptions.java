package io.fjordmq.broker.session;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.LiveSession;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.session.FilterResults.Result;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Changes the subscriptions of a client on behalf of an operator: like SUBSCRIBE and UNSUBSCRIBE,
 * in the order of the client's packets and within its limits, but without authorization and without
 * a response to the client. Only used on the event loop.
 */
final class ForcedSubscriptions {
  private static final int QUOTA_EXCEEDED = 0x97;

  private final Connection connection;
  private final LiveSession session;
  private final SubscriptionChanges changes;
  private final SubscriptionCount count;
  private final SubscribeQueue queue;
  private final RetainedReplay replay;

  ForcedSubscriptions(
      Connection connection,
      LiveSession session,
      SubscriptionChanges changes,
      SubscriptionCount count,
      SubscribeQueue queue,
      RetainedReplay replay) {
    this.connection = connection;
    this.session = session;
    this.changes = changes;
    this.count = count;
    this.queue = queue;
    this.replay = replay;
  }

  /** Adds a subscription; completes with the granted QoS or a reason code of 0x80 or higher. */
  CompletableFuture<Integer> subscribe(TopicFilter filter, SubscriptionOptions options) {
    CompletableFuture<Integer> code = new CompletableFuture<>();
    queue.submit(() -> subscribe(filter, options, code));
    return code;
  }

  private void subscribe(
      TopicFilter filter, SubscriptionOptions options, CompletableFuture<Integer> code) {
    if (new FilterReader(connection).read(filter.text()) == null) {
      finish(code, FilterReader.TOPIC_FILTER_INVALID);
      return;
    }
    Limit exceeded = count.limitExceededBy(filter.text());
    if (exceeded != null && !connection.services().live().isSubscribed(session, filter)) {
      connection.recordLimitReached(exceeded);
      finish(code, QUOTA_EXCEEDED);
      return;
    }
    count.add(filter.text());
    connection.whenDone(
        changes.add(filter, options),
        (result, error) -> onSubscribed(filter, options, resultOf(result), code));
  }

  private void onSubscribed(
      TopicFilter filter,
      SubscriptionOptions options,
      Result result,
      CompletableFuture<Integer> code) {
    if (connection.isEnded()) {
      connection.services().live().removeAll(session);
      code.completeExceptionally(disconnected());
      return;
    }
    if (!result.isNew()) {
      count.remove(filter.text());
    }
    count.report();
    if (result.code() < FilterResults.UNSPECIFIED_ERROR) {
      connection.events().subscribed(connection.access().client(), filter, options.maxQos());
      replay.onSubscribed(filter, options, result.isNew());
      connection.writer().flush();
    }
    finish(code, result.code());
  }

  /**
   * Removes a subscription; completes with 0, with 0x11 if there is none, or with a reason code of
   * 0x80 or higher.
   */
  CompletableFuture<Integer> unsubscribe(TopicFilter filter) {
    CompletableFuture<Integer> code = new CompletableFuture<>();
    queue.submit(
        () ->
            connection.whenDone(
                changes.remove(filter),
                (result, error) -> onUnsubscribed(filter, resultOf(result), code)));
    return code;
  }

  private void onUnsubscribed(TopicFilter filter, Result result, CompletableFuture<Integer> code) {
    if (connection.isEnded()) {
      code.completeExceptionally(disconnected());
      return;
    }
    if (result.code() == 0) {
      count.remove(filter.text());
      count.report();
      connection.events().unsubscribed(connection.access().client(), filter.text());
    }
    if (result.code() < FilterResults.UNSPECIFIED_ERROR) {
      replay.cancel(filter.text());
    }
    finish(code, result.code());
  }

  private void finish(CompletableFuture<Integer> future, int code) {
    future.complete(code);
    queue.onComplete();
  }

  private static Result resultOf(@Nullable Result result) {
    return result == null ? Result.FAILED : result;
  }

  static IllegalStateException disconnected() {
    return new IllegalStateException("the client has disconnected");
  }
}
