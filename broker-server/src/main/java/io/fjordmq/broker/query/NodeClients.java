package io.fjordmq.broker.query;

import io.fjordmq.broker.session.ClientQueue;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the connected clients of one node. Thread-safe; does not block, but lists may
 * occupy the calling thread for milliseconds, so they must not be read on event loops. Futures fail
 * if the node cannot be reached.
 */
interface NodeClients {

  /**
   * Lists connected clients in order. The work per call is bounded, so a page may have fewer
   * clients than requested, or none, although more follow.
   *
   * @param maxClients 1 to {@link PagedMerge#MAX_PAGE}
   */
  CompletableFuture<Clients> list(SessionPosition from, ClientFilter filter, int maxClients);

  /**
   * A page of clients.
   *
   * @param next where the next page starts; {@link SessionPosition#END} if this is the last one
   */
  record Clients(List<LiveClient> clients, SessionPosition next) {}

  /**
   * Finds a client by its identifier.
   *
   * @param tenant null to search all tenants that the node knows
   */
  CompletableFuture<Found> find(@Nullable String tenant, String clientId);

  /**
   * The result of a search.
   *
   * @param clients the connected clients with the identifier
   * @param tenants the tenants that were searched, if the call did not name one
   */
  record Found(List<LiveClient> clients, List<String> tenants) {}

  /** Reads messages for a client; empty if it is not connected to the node. */
  CompletableFuture<Optional<ClientQueue>> queue(InboxId id, ClientQueue.Selection selection);

  /**
   * Disconnects a client and ends its session. Completes once the session has ended, with false if
   * the client was not connected to the node.
   */
  CompletableFuture<Boolean> kick(InboxId id);

  /** Counts clients. */
  CompletableFuture<Counts> count();

  /**
   * Numbers of clients.
   *
   * @param connected clients connected to the node
   * @param offline sessions of offline clients in the ranges that the node leads
   */
  record Counts(long connected, long offline) {}
}
