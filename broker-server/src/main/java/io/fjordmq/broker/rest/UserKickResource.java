package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.ClientFilter;
import io.fjordmq.broker.query.ClientFilter.TimeSpan;
import io.fjordmq.broker.query.ClientPage;
import io.fjordmq.broker.query.ClientQueries;
import io.fjordmq.broker.query.ClientQueries.KickOutcome;
import io.fjordmq.broker.query.ClientRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Disconnects all clients of a user, for example after the user was removed from a database. */
public final class UserKickResource implements Resource {
  private static final int PAGE = 100;
  private static final TimeSpan ANY_TIME = new TimeSpan(0, Long.MAX_VALUE);

  private final ClientQueries clients;

  record KickedJson(
      @Field("Number of clients and offline sessions whose sessions ended") int kicked,
      @Field("Parts of the cluster that did not respond; absent if there are none")
          @Nullable List<String> problems) {}

  UserKickResource(ClientQueries clients) {
    this.clients = clients;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        Operation.delete("/clients")
            .id("kickClientsOfUser")
            .tag("Clients")
            .summary("Disconnect all clients of a user and end their sessions")
            .description(
                "Like `DELETE /clients/{clientid}` for each of them. Remove the user first,"
                    + " otherwise its clients reconnect. If the request times out before all are"
                    + " disconnected, repeat it.")
            .role(Role.OPERATOR)
            .tenants()
            .query(Parameter.text("username", "Exact user name").mandatory())
            .query(ClientLookup.tenantParameter())
            .target(request -> "clients of user " + request.text("username").orElse(""))
            .ok(KickedJson.class)
            .error(504, "Some of the clients are still connected; repeat the request")
            .handler(QueryErrors.translated(this::kickAll)));
  }

  private CompletableFuture<Response> kickAll(Request request) {
    ClientFilter filter =
        new ClientFilter(
            ClientLookup.tenant(request),
            null,
            null,
            request.text("username").orElseThrow(),
            null,
            null,
            null,
            null,
            0,
            ANY_TIME,
            ANY_TIME);
    return kickFrom(request, filter, null, new Kicked());
  }

  /** What the request has done so far. */
  private static final class Kicked {
    private final AtomicInteger count = new AtomicInteger();
    private final List<String> problems = new ArrayList<>();
  }

  private CompletableFuture<Response> kickFrom(
      Request request, ClientFilter filter, @Nullable String cursor, Kicked kicked) {
    request.requireTimeLeft();
    return clients
        .list(filter, Optional.ofNullable(cursor), 0, PAGE)
        .thenCompose(page -> kickPage(request, page, kicked).thenApply(done -> page))
        .thenCompose(
            page ->
                page.next() == null
                    ? CompletableFuture.completedFuture(response(kicked))
                    : kickFrom(request, filter, page.next(), kicked));
  }

  private CompletableFuture<Void> kickPage(Request request, ClientPage page, Kicked kicked) {
    addProblems(kicked, page.problems());
    return SequentialSteps.run(
        page.clients().size(),
        i -> {
          request.requireTimeLeft();
          ClientRow client = page.clients().get(i);
          return clients
              .kick(client.tenant(), client.clientId())
              .thenAccept(
                  result -> {
                    addProblems(kicked, result.problems());
                    if (result.outcome() != KickOutcome.NOT_FOUND) {
                      kicked.count.incrementAndGet();
                    }
                  });
        });
  }

  private static void addProblems(Kicked kicked, List<String> found) {
    for (String problem : found) {
      if (!kicked.problems.contains(problem)) {
        kicked.problems.add(problem);
      }
    }
  }

  private static Response response(Kicked kicked) {
    List<String> problems = kicked.problems.isEmpty() ? null : List.copyOf(kicked.problems);
    return Response.ok(new KickedJson(kicked.count.get(), problems));
  }
}
