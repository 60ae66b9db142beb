package io.fjordmq.broker.query;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.SessionUser;
import io.fjordmq.inbox.StoredSession;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A persistent session with its subscriptions, without its messages.
 *
 * @param expirySeconds session expiry after the connection ends; 0xFFFFFFFF for never
 * @param user the user that the session belongs to; null if none
 * @param exclusive whether connections of other users are refused
 * @param createdAtMillis when the session was created, in epoch milliseconds
 * @param queued number of messages in its queue
 */
public record TransferredSession(
    String tenant,
    String clientId,
    long expirySeconds,
    @Nullable String user,
    boolean exclusive,
    long createdAtMillis,
    long queued,
    List<Subscription> subscriptions) {

  /** A subscription with its options. */
  public record Subscription(TopicFilter filter, SubscriptionOptions options) {}

  static TransferredSession of(StoredSession session, List<InboxSubscription> subscriptions) {
    SessionUser user = session.user();
    return new TransferredSession(
        session.id().tenant(),
        session.id().clientId(),
        session.expirySeconds(),
        user == null ? null : user.name(),
        user != null && user.exclusive(),
        session.createdAtMillis(),
        session.queued(),
        subscriptions.stream()
            .map(each -> new Subscription(each.filter(), each.options()))
            .toList());
  }

  InboxId id() {
    return new InboxId(tenant, clientId);
  }

  @Nullable SessionUser sessionUser() {
    return user == null ? null : new SessionUser(user, exclusive);
  }

  List<InboxSubscription> inboxSubscriptions() {
    return subscriptions.stream()
        .map(each -> new InboxSubscription(each.filter(), each.options()))
        .toList();
  }
}
