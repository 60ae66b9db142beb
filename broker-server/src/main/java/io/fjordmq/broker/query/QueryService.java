package io.fjordmq.broker.query;

import io.fjordmq.broker.query.NodeCall.CountClients;
import io.fjordmq.broker.query.NodeCall.FindClient;
import io.fjordmq.broker.query.NodeCall.KickClient;
import io.fjordmq.broker.query.NodeCall.ListClients;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerServices;
import io.fjordmq.common.MalformedBytesException;
import java.util.concurrent.CompletableFuture;

/** Answers other nodes about the clients of this node. */
final class QueryService implements PeerServices.Handler {
  /** Name of this service between nodes. */
  static final String NAME = "query";

  private final NodeClients clients;

  QueryService(NodeClients clients) {
    this.clients = clients;
  }

  @Override
  public CompletableFuture<byte[]> handle(NodeId from, byte[] request) {
    try {
      return answer(NodeCall.decode(request));
    } catch (MalformedBytesException | IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<byte[]> answer(NodeCall call) {
    if (call instanceof ListClients list) {
      int max = Math.min(PagedMerge.MAX_PAGE, Math.max(1, list.maxClients()));
      return clients.list(list.from(), list.filter(), max).thenApply(ListClients::encodeResponse);
    } else if (call instanceof FindClient find) {
      return clients.find(find.tenant(), find.clientId()).thenApply(FindClient::encodeResponse);
    } else if (call instanceof KickClient kick) {
      return clients.kick(kick.id()).thenApply(KickClient::encodeResponse);
    }
    return clients.count().thenApply(CountClients::encodeResponse);
  }
}
