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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The clients of this node. Reads the attributes of clients on a query thread, and the state of
 * those on the page on their event loops, with one task per loop.
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
    return CompletableFuture.supplyAsync(() -> select(from, filter, maxClients), queryThreads)
        .thenCompose(page -> page);
  }

  private CompletableFuture<Clients> select(
      SessionPosition from, ClientFilter filter, int maxClients) {
    List<Selected> selected = new ArrayList<>();
    SessionPosition next =
        clients.scan(
            from,
            filter.tenant(),
            MAX_VISITED,
            client -> {
              ClientAttributes attributes = client.attributes();
              if (attributes == null || !filter.matches(attributes)) {
                return true;
              }
              return selected.size() < maxClients && selected.add(new Selected(client, attributes));
            });
    return describe(selected).thenApply(described -> new Clients(described, next));
  }

  /** Reads the state of clients. Omits clients that have disconnected meanwhile. */
  private static CompletableFuture<List<LiveClient>> describe(List<Selected> selected) {
    Map<Executor, List<Integer>> byLoop = new LinkedHashMap<>();
    for (int i = 0; i < selected.size(); i++) {
      byLoop.computeIfAbsent(selected.get(i).client.eventLoop(), loop -> new ArrayList<>()).add(i);
    }
    // Each element is written by one loop and read once all loops are done.
    @Nullable LiveClient[] described = new LiveClient[selected.size()];
    List<CompletableFuture<?>> loops = new ArrayList<>();
    byLoop.forEach(
        (loop, positions) ->
            loops.add(
                CompletableFuture.runAsync(
                    () -> positions.forEach(i -> described[i] = describe(selected.get(i))), loop)));
    return CompletableFuture.allOf(loops.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> nonNull(described));
  }

  private static List<LiveClient> nonNull(@Nullable LiveClient[] described) {
    List<LiveClient> found = new ArrayList<>(described.length);
    for (LiveClient client : described) {
      if (client != null) {
        found.add(client);
      }
    }
    return found;
  }

  private static @Nullable LiveClient describe(Selected selected) {
    ClientState state = selected.client.state();
    return state == null ? null : new LiveClient(selected.attributes, state);
  }

  @Override
  public CompletableFuture<Found> find(@Nullable String tenant, String clientId) {
    List<String> searched =
        tenant == null
            ? tenants.get().stream().distinct().sorted().limit(MAX_TENANTS).toList()
            : List.of(tenant);
    List<Selected> selected =
        searched.stream()
            .map(name -> find(new InboxId(name, clientId)))
            .filter(Objects::nonNull)
            .toList();
    return describe(selected)
        .thenApply(found -> new Found(found, tenant == null ? searched : List.of()));
  }

  private @Nullable Selected find(InboxId id) {
    ConnectedClient client = clients.find(id.tenant(), id.clientId());
    ClientAttributes attributes = client == null ? null : client.attributes();
    return client == null || attributes == null ? null : new Selected(client, attributes);
  }

  @Override
  public CompletableFuture<Optional<ClientQueue>> queue(InboxId id, ClientQueue.Wanted wanted) {
    Selected selected = find(id);
    return selected == null
        ? CompletableFuture.completedFuture(Optional.empty())
        : CompletableFuture.supplyAsync(
                () -> Optional.ofNullable(selected.client.queue(wanted)),
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
