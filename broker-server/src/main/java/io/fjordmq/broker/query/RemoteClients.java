package io.fjordmq.broker.query;

import io.fjordmq.broker.query.NodeCall.CountClients;
import io.fjordmq.broker.query.NodeCall.FindClient;
import io.fjordmq.broker.query.NodeCall.KickClient;
import io.fjordmq.broker.query.NodeCall.ListClients;
import io.fjordmq.broker.session.ClientQueue;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The clients of another node.
 *
 * @param readTimeout deadline of calls that read
 * @param actTimeout deadline of calls that wait for a change of the stores
 */
record RemoteClients(PeerCalls peers, NodeId node, Duration readTimeout, Duration actTimeout)
    implements NodeClients {
  @Override
  public CompletableFuture<Clients> list(
      SessionPosition from, ClientFilter filter, int maxClients) {
    ListClients call = new ListClients(from, filter, maxClients);
    return call(call, readTimeout, ListClients::decodeResponse);
  }

  @Override
  public CompletableFuture<Found> find(@Nullable String tenant, String clientId) {
    return call(new FindClient(tenant, clientId), readTimeout, FindClient::decodeResponse);
  }

  @Override
  public CompletableFuture<Optional<ClientQueue>> queue(
      InboxId id, ClientQueue.Selection selection) {
    return call(new PeekClient(id, selection), readTimeout, PeekClient::decodeResponse);
  }

  @Override
  public CompletableFuture<Boolean> kick(InboxId id) {
    return call(new KickClient(id), actTimeout, KickClient::decodeResponse);
  }

  @Override
  public CompletableFuture<Counts> count() {
    return call(new CountClients(), readTimeout, CountClients::decodeResponse);
  }

  private <T> CompletableFuture<T> call(
      NodeCall call, Duration timeout, Function<byte[], T> decode) {
    return peers.call(node, QueryService.NAME, call.encode(), timeout).thenApply(decode);
  }
}
