package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.AuditRecord;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The latest changes that were requested through the API of this node. */
final class AuditResource implements Resource {
  private static final String SUCCESS = "success";
  private static final String FAILURE = "failure";

  private final AuditLog log;
  private final String node;

  record AuditJson(
      @Field("Time of the response") Instant createdAt,
      @Field("Node that handled the request") String node,
      @Field("How the caller authenticated; absent for a login") Caller.@Nullable Kind from,
      @Field("Name of the user or API key; absent for a login") @Nullable String source,
      @Field("IP address of the caller") String sourceIp,
      @Field("Operation, as in the OpenAPI description") String operationId,
      @Field("Target of the operation; may be empty") String target,
      @Field("`success` or `failure`") String operationResult,
      @Field("HTTP status of the response") int httpStatusCode) {}

  /**
   * @param node the id of this node
   */
  AuditResource(AuditLog log, String node) {
    this.log = log;
    this.node = node;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        Operation.get("/audit")
            .id("listAuditRecords")
            .tag("Audit")
            .summary("List changes made through the API of this node")
            .description(
                "Newest first. The node keeps the latest records in memory until it stops; its "
                    + "log files contain all records. Use `meta.cursor` for further pages.")
            .role(Role.ADMINISTRATOR)
            .paged("[0-9]+", 18)
            .query(Parameter.text("source", "Only records of this user or API key"))
            .query(Parameter.text("source_ip", "Only records of this IP address"))
            .query(Parameter.text("operation_id", "Only records of this operation"))
            .query(
                Parameter.choice(
                    "operation_result", "Only records with this result", List.of(SUCCESS, FAILURE)))
            .query(Parameter.time("gte_created_at", "Only records since this time"))
            .query(Parameter.time("lte_created_at", "Only records up to this time"))
            .okList(AuditJson.class)
            .handler(this::list));
  }

  private CompletableFuture<Response> list(Request request) {
    Paging paging = request.paging();
    Predicate<AuditRecord> filter = filter(request);
    Long cursor = paging.cursor().map(Long::valueOf).orElse(null);
    // Pages before the requested one are skipped in steps, so that no list is longer than a page.
    AuditLog.Page page = log.page(cursor, paging.limit(), filter);
    for (int skipped = 1; cursor == null && skipped < paging.page(); skipped++) {
      page =
          page.next() == null
              ? new AuditLog.Page(List.of(), null)
              : log.page(page.next(), paging.limit(), filter);
    }
    Long next = page.next();
    Meta meta =
        new Meta(
            paging.page(),
            paging.limit(),
            next != null,
            null,
            next == null ? null : next.toString(),
            null);
    return CompletableFuture.completedFuture(
        Response.list(page.records().stream().map(this::json).toList(), meta));
  }

  private static Predicate<AuditRecord> filter(Request request) {
    Optional<String> source = request.text("source");
    Optional<String> address = request.text("source_ip");
    Optional<String> operation = request.text("operation_id");
    Optional<String> result = request.text("operation_result");
    Optional<Instant> since = request.time("gte_created_at");
    Optional<Instant> until = request.time("lte_created_at");
    return one ->
        source.map(name -> name.equals(sourceOf(one))).orElse(true)
            && address.map(one.address()::equals).orElse(true)
            && operation.map(one.operation()::equals).orElse(true)
            && result.map(word -> word.equals(result(one))).orElse(true)
            && since.map(time -> !one.time().isBefore(time)).orElse(true)
            && until.map(time -> !one.time().isAfter(time)).orElse(true);
  }

  private AuditJson json(AuditRecord one) {
    Caller caller = one.caller();
    return new AuditJson(
        one.time(),
        node,
        caller == null ? null : caller.kind(),
        sourceOf(one),
        one.address(),
        one.operation(),
        one.target(),
        result(one),
        one.status());
  }

  private static @Nullable String sourceOf(AuditRecord one) {
    Caller caller = one.caller();
    return caller == null ? null : caller.name();
  }

  private static String result(AuditRecord one) {
    return one.isSuccess() ? SUCCESS : FAILURE;
  }
}
