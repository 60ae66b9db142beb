package io.fjordmq.broker.query;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.LiveSubscription;
import io.fjordmq.broker.query.SubscriptionCall.ListSubscribers;
import io.fjordmq.broker.query.SubscriptionCall.ListTransient;
import io.fjordmq.broker.query.SubscriptionCall.OfClient;
import io.fjordmq.broker.query.SubscriptionCall.Subscribe;
import io.fjordmq.broker.query.SubscriptionCall.Unsubscribe;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.inbox.InboxId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The subscriptions of another node's clients. */
record RemoteSubscriptions(PeerCalls peers, NodeId node) implements NodeSubscriptions {
  @Override
  public CompletableFuture<Subscriptions> listTransient(
      SubscriptionPosition from, @Nullable String tenant, int max) {
    return read(new ListTransient(from, tenant, max)).thenApply(ListTransient::decodeResponse);
  }

  @Override
  public CompletableFuture<Subscriptions> listSubscribers(
      SubscriptionPosition from, @Nullable String tenant, TopicFilter filter, int max) {
    return read(new ListSubscribers(from, tenant, filter, max))
        .thenApply(ListTransient::decodeResponse);
  }

  @Override
  public CompletableFuture<Optional<List<LiveSubscription>>> ofClient(InboxId id) {
    return read(new OfClient(id)).thenApply(OfClient::decodeResponse);
  }

  @Override
  public CompletableFuture<Integer> subscribe(
      InboxId id, TopicFilter filter, SubscriptionOptions options) {
    return act(new Subscribe(id, filter, options)).thenApply(SubscriptionCall::decodeCode);
  }

  @Override
  public CompletableFuture<Integer> unsubscribe(InboxId id, TopicFilter filter) {
    return act(new Unsubscribe(id, filter)).thenApply(SubscriptionCall::decodeCode);
  }

  private CompletableFuture<byte[]> read(SubscriptionCall call) {
    return peers.call(node, QueryService.NAME, call.encode(), QueryNodes.READ_TIMEOUT);
  }

  private CompletableFuture<byte[]> act(SubscriptionCall call) {
    return peers.call(node, QueryService.NAME, call.encode(), QueryNodes.ACT_TIMEOUT);
  }
}
