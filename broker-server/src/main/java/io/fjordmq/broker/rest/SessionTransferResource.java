package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.SessionTransfer;
import io.fjordmq.broker.query.TransferredSession;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Export and import of persistent sessions. */
final class SessionTransferResource implements Resource {
  private static final String TAG = "Export and import";
  private static final int MAX_IMPORTED = 100;
  private static final int MAX_PAGE = 100;

  private final SessionTransfer sessions;

  record SessionImportJson(
      @Field("Number of sessions that were created") int created,
      @Field("Client identifiers that are connected or have a session, and were left unchanged")
          List<String> existing) {}

  SessionTransferResource(SessionTransfer sessions) {
    this.sessions = sessions;
  }

  @Override
  public List<Operation> operations() {
    return List.of(exportSessions(), importSessions());
  }

  private Operation exportSessions() {
    return Operation.get("/export/sessions")
        .id("exportSessions")
        .tag(TAG)
        .summary("Export persistent sessions with their subscriptions")
        .description(
            "Connected and offline sessions, without their messages and wills. A page has fewer"
                + " sessions than requested if they have many subscriptions.")
        .role(Role.ADMINISTRATOR)
        .audited()
        .tenants()
        .query(ClientLookup.tenantParameter())
        .query(TransferPaging.limit(MAX_PAGE))
        .query(
            Parameter.text("cursor", "`meta.cursor` of the previous page", TextRule.SESSION_CURSOR))
        .memory(request -> 16L << 20)
        .okList(ExportedSessionJson.class)
        .error(503, "Part of the cluster did not respond")
        .handler(
            QueryErrors.translated(
                request ->
                    sessions
                        .export(
                            ClientLookup.tenant(request),
                            request.text("cursor"),
                            request.number(TransferPaging.LIMIT))
                        .thenApply(
                            page ->
                                Response.list(
                                    page.sessions().stream().map(ExportedSessionJson::of).toList(),
                                    TransferPaging.meta(request, page.next())))));
  }

  private Operation importSessions() {
    return Operation.post("/import/sessions")
        .id("importSessions")
        .tag(TAG)
        .summary("Create offline sessions that another cluster has exported")
        .description(
            "Clients that are connected or have a session are left unchanged, so the request can be"
                + " repeated. The expiry of a created session begins now.")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .bodyList(ExportedSessionJson.class, MAX_IMPORTED)
        .target(
            request ->
                AuditTarget.names(
                    request.bodyList(ExportedSessionJson.class).stream()
                        .map(session -> AuditTarget.ofTenant(session.clientid(), session.tenant()))
                        .toList()))
        .ok(SessionImportJson.class)
        .error(503, "Part of the cluster did not respond; repeat the request")
        .handler(QueryErrors.translated(this::create));
  }

  private CompletableFuture<Response> create(Request request) {
    List<ExportedSessionJson> all = request.bodyList(ExportedSessionJson.class);
    List<TransferredSession> created = new ArrayList<>();
    for (ExportedSessionJson session : all) {
      session.requirePossible();
      created.add(session.toSession(tenant(request, session.tenant())));
    }
    List<String> existing = new ArrayList<>();
    return SequentialSteps.run(
            all.size(),
            i -> {
              request.requireTimeLeft();
              return sessions
                  .create(created.get(i))
                  .thenAccept(
                      isNew -> {
                        if (!isNew) {
                          existing.add(created.get(i).clientId());
                        }
                      });
            })
        .thenApply(
            done ->
                Response.ok(
                    new SessionImportJson(all.size() - existing.size(), List.copyOf(existing))));
  }

  /**
   * The tenant of an imported element.
   *
   * @throws ApiException 403 if the caller is bound to another tenant
   */
  static String tenant(Request request, @Nullable String named) {
    String own = request.tenant().orElse(null);
    if (own != null && named != null && !own.equals(named)) {
      throw new ApiException(
          ErrorCode.FORBIDDEN, "the credentials are bound to a tenant other than '" + named + "'");
    }
    return own != null ? own : named == null ? "" : named;
  }
}
