package io.fjordmq.broker.query;

import io.fjordmq.broker.session.ClientAttributes;
import io.fjordmq.broker.session.ClientQueue;
import io.fjordmq.broker.session.ClientState;
import io.fjordmq.broker.session.ConnectedClient;
import io.fjordmq.broker.session.ConnectedClients;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.inbox.SessionPosition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The clients of this node. Lists and searches occupy the calling thread and no event loop; only
 * queues are read on the event loops of their clients.
 */
final class LocalClients implements NodeClients {
  /** Maximum number of clients that one call looks at. */
  static final int MAX_VISITED = 50_000;

  /** Maximum number of tenants to search for a client. */
  static final int MAX_TENANTS = 1_000;

  private record Selected(ConnectedClient client, ClientAttributes attributes) {}

  private final ConnectedClients clients;
  private final Supplier<Collection<String>> tenants;
  private final Supplier<InboxStoreStatus> sessions;
  private final Executor queryThreads;

  /**
   * @param tenants the tenants that this node knows
   * @param sessions statistics of the inbox ranges that this node leads
   */
  LocalClients(
      ConnectedClients clients,
      Supplier<Collection<String>> tenants,
      Supplier<InboxStoreStatus> sessions,
      Executor queryThreads) {
    this.clients = clients;
    this.tenants = tenants;
    this.sessions = sessions;
    this.queryThreads = queryThreads;
  }

  @Override
  public CompletableFuture<Clients> list(
      SessionPosition from, ClientFilter filter, int maxClients) {
    List<LiveClient> found = new ArrayList<>();
    SessionPosition next =
        clients.scan(
            from,
            filter.tenant(),
            MAX_VISITED,
            client -> {
              if (!filter.matchesUser(client.userName())) {
                return true;
              }
              ClientAttributes attributes = client.attributes();
              if (attributes == null || !filter.matches(attributes)) {
                return true;
              }
              if (found.size() >= maxClients) {
                return false;
              }
              ClientState state = client.state();
              if (state != null) {
                found.add(new LiveClient(attributes, state));
              }
              return true;
            });
    return CompletableFuture.completedFuture(new Clients(found, next));
  }

  @Override
  public CompletableFuture<Found> find(@Nullable String tenant, String clientId) {
    List<String> searched =
        tenant == null
            ? tenants.get().stream().distinct().sorted().limit(MAX_TENANTS).toList()
            : List.of(tenant);
    List<LiveClient> found = new ArrayList<>();
    for (String name : searched) {
      Selected selected = find(new InboxId(name, clientId));
      ClientState state = selected == null ? null : selected.client.state();
      if (selected != null && state != null) {
        found.add(new LiveClient(selected.attributes, state));
      }
    }
    return CompletableFuture.completedFuture(
        new Found(found, tenant == null ? searched : List.of()));
  }

  private @Nullable Selected find(InboxId id) {
    ConnectedClient client = clients.find(id.tenant(), id.clientId());
    ClientAttributes attributes = client == null ? null : client.attributes();
    return client == null || attributes == null ? null : new Selected(client, attributes);
  }

  @Override
  public CompletableFuture<Optional<ClientQueue>> queue(
      InboxId id, ClientQueue.Selection selection) {
    Selected selected = find(id);
    return selected == null
        ? CompletableFuture.completedFuture(Optional.empty())
        : CompletableFuture.supplyAsync(
                () -> Optional.ofNullable(selected.client.queue(selection)),
                selected.client.eventLoop())
            .thenApplyAsync(queue -> queue, queryThreads); // responses are built elsewhere
  }

  @Override
  public CompletableFuture<Boolean> kick(InboxId id) {
    Selected selected = find(id);
    return selected == null ? CompletableFuture.completedFuture(false) : selected.client.kick();
  }

  @Override
  public CompletableFuture<Counts> count() {
    InboxStoreStatus status = sessions.get();
    return CompletableFuture.completedFuture(
        new Counts(clients.size(), Math.max(0, status.inboxes() - status.attached())));
  }
}
