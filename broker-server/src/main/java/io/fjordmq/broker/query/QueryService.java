package io.fjordmq.broker.query;

import io.fjordmq.broker.query.NodeCall.CountClients;
import io.fjordmq.broker.query.NodeCall.FindClient;
import io.fjordmq.broker.query.NodeCall.KickClient;
import io.fjordmq.broker.query.NodeCall.ListClients;
import io.fjordmq.broker.query.SubscriptionCall.ListSubscribers;
import io.fjordmq.broker.query.SubscriptionCall.ListTransient;
import io.fjordmq.broker.query.SubscriptionCall.OfClient;
import io.fjordmq.broker.query.SubscriptionCall.Subscribe;
import io.fjordmq.broker.query.SubscriptionCall.Unsubscribe;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.MalformedBytesException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Answers other nodes about the clients of this node, on the query threads. */
final class QueryService implements PeerServices.Handler {
  /** Name of this service between nodes. */
  static final String NAME = "query";

  private final NodeClients clients;
  private final NodeSubscriptions subscriptions;

  private final Executor queryThreads;

  QueryService(NodeClients clients, NodeSubscriptions subscriptions, Executor queryThreads) {
    this.clients = clients;
    this.subscriptions = subscriptions;
    this.queryThreads = queryThreads;
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    try {
      NodeCall call = NodeCall.decode(request);
      return CompletableFuture.supplyAsync(() -> handle(call), queryThreads)
          .thenCompose(response -> response);
    } catch (MalformedBytesException | IllegalArgumentException | QueryException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<byte[]> handle(NodeCall call) {
    if (call instanceof ListClients list) {
      return clients
          .list(list.from(), list.filter(), bounded(list.maxClients()))
          .thenApply(ListClients::encodeResponse);
    } else if (call instanceof FindClient find) {
      return clients.find(find.tenant(), find.clientId()).thenApply(FindClient::encodeResponse);
    } else if (call instanceof KickClient kick) {
      return clients.kick(kick.id()).thenApply(KickClient::encodeResponse);
    } else if (call instanceof PeekClient peek) {
      return clients.queue(peek.id(), peek.selection()).thenApply(PeekClient::encodeResponse);
    } else if (call instanceof SubscriptionCall about) {
      return handle(about);
    }
    return clients.count().thenApply(CountClients::encodeResponse);
  }

  private CompletableFuture<byte[]> handle(SubscriptionCall call) {
    if (call instanceof ListTransient list) {
      return subscriptions
          .listTransient(list.from(), list.tenant(), bounded(list.max()))
          .thenApply(ListTransient::encodeResponse);
    } else if (call instanceof ListSubscribers list) {
      return subscriptions
          .listSubscribers(list.from(), list.tenant(), list.filter(), bounded(list.max()))
          .thenApply(ListTransient::encodeResponse);
    } else if (call instanceof OfClient client) {
      return subscriptions.ofClient(client.id()).thenApply(OfClient::encodeResponse);
    } else if (call instanceof Subscribe change) {
      return subscriptions
          .subscribe(change.id(), change.filter(), change.options())
          .thenApply(SubscriptionCall::encodeCode);
    }
    Unsubscribe change = (Unsubscribe) call;
    return subscriptions
        .unsubscribe(change.id(), change.filter())
        .thenApply(SubscriptionCall::encodeCode);
  }

  private static int bounded(int rows) {
    return Math.min(PagedMerge.MAX_PAGE, Math.max(1, rows));
  }
}
