package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.CursorText;
import io.fjordmq.broker.query.RetainedTransfer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Export and import of retained messages. */
final class RetainedTransferResource implements Resource {
  private static final String TAG = "Export and import";
  private static final int MAX_IMPORTED = 100;
  private static final int MAX_PAGE = 1_000;

  private final RetainedTransfer retained;
  private final InstantSource clock;

  record RetainedImportJson(
      @Field("Number of messages that were stored") int created,
      @Field("Topics that have a message, which was left unchanged") List<String> existing,
      @Field("Topics whose message has expired, has no payload or exceeds a limit of its tenant")
          List<String> refused) {}

  /**
   * @param clock wall clock
   */
  RetainedTransferResource(RetainedTransfer retained, InstantSource clock) {
    this.retained = retained;
    this.clock = clock;
  }

  @Override
  public List<Operation> operations() {
    return List.of(exportRetained(), importRetained());
  }

  private Operation exportRetained() {
    return Operation.get("/export/retained")
        .id("exportRetained")
        .tag(TAG)
        .summary("Export retained messages with their payloads")
        .description(
            "In no particular order, without topics that begin with `$`. A page ends when it has"
                + " 256 KiB.")
        .role(Role.ADMINISTRATOR)
        .audited()
        .tenants()
        .query(TopicTenant.parameter())
        .query(TransferPaging.limit(MAX_PAGE))
        .query(Parameter.text("cursor", "`meta.cursor` of the previous page", TextRule.CURSOR))
        .memory(request -> 2L << 20)
        .okList(ExportedRetainedJson.class)
        .error(503, "Part of the cluster did not respond")
        .handler(QueryErrors.translated(this::export));
  }

  private CompletableFuture<Response> export(Request request) {
    String tenant = TopicTenant.of(request);
    byte @Nullable [] cursor = request.text("cursor").map(CursorText::bytes).orElse(null);
    return retained
        .export(tenant, cursor, request.number(TransferPaging.LIMIT))
        .thenApply(
            page -> {
              // In memory as bytes, as Base64 and in the JSON.
              request.reserve(
                  4L * page.messages().stream().mapToLong(each -> each.payload().length).sum());
              byte @Nullable [] next = page.next();
              return Response.list(
                  page.messages().stream()
                      .map(message -> ExportedRetainedJson.of(tenant, message))
                      .toList(),
                  TransferPaging.meta(request, next == null ? null : CursorText.of(next)));
            });
  }

  private Operation importRetained() {
    return Operation.post("/import/retained")
        .id("importRetained")
        .tag(TAG)
        .summary("Store retained messages that another cluster has exported")
        .description(
            "Topics that have a retained message are left unchanged, so the request can be"
                + " repeated. Subscribers are not notified.")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .bodyList(ExportedRetainedJson.class, MAX_IMPORTED)
        .target(
            request ->
                AuditTarget.names(
                    request.bodyList(ExportedRetainedJson.class).stream()
                        .map(message -> AuditTarget.ofTenant(message.topic(), message.tenant()))
                        .toList()))
        .ok(RetainedImportJson.class)
        .error(503, "Part of the cluster did not respond; repeat the request")
        .handler(QueryErrors.translated(this::create));
  }

  private CompletableFuture<Response> create(Request request) {
    List<ExportedRetainedJson> all = request.bodyList(ExportedRetainedJson.class);
    List<String> tenants =
        all.stream()
            .map(message -> SessionTransferResource.tenant(request, message.tenant()))
            .toList();
    List<String> existing = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    return SequentialSteps.run(
            all.size(),
            i -> {
              request.requireTimeLeft();
              ExportedRetainedJson message = all.get(i);
              return create(tenants.get(i), message)
                  .thenAccept(
                      created -> {
                        switch (created) {
                          case CREATED -> {}
                          case EXISTS -> existing.add(message.topic());
                          case REFUSED -> refused.add(message.topic());
                        }
                      });
            })
        .thenApply(
            done ->
                Response.ok(
                    new RetainedImportJson(
                        all.size() - existing.size() - refused.size(),
                        List.copyOf(existing),
                        List.copyOf(refused))));
  }

  private CompletableFuture<RetainedTransfer.Created> create(
      String tenant, ExportedRetainedJson message) {
    boolean isGone =
        message.payload().isEmpty()
            || (message.expiresAt() != null && !message.expiresAt().isAfter(clock.instant()));
    return isGone
        ? CompletableFuture.completedFuture(RetainedTransfer.Created.REFUSED)
        : retained.create(tenant, message.toMessage());
  }
}
