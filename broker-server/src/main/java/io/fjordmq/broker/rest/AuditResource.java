package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.AuditFilter;
import io.fjordmq.broker.accounts.AuditRecord;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterAudit;
import io.fjordmq.broker.admin.ClusterResponses.OfNode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The latest changes that were requested through the API of all nodes. */
final class AuditResource implements Resource {
  private static final String SUCCESS = "success";
  private static final String FAILURE = "failure";

  /** A cursor consists of {@code node=number} pairs, one for each node that has more records. */
  private static final String CURSOR =
      "[A-Za-z0-9_-]{1,64}=[0-9]{1,18}(,[A-Za-z0-9_-]{1,64}=[0-9]{1,18})*";

  private static final int MAX_CURSOR = 4_096;

  private final ClusterAudit audit;

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

  AuditResource(ClusterAudit audit) {
    this.audit = audit;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        Operation.get("/audit")
            .id("listAuditRecords")
            .tag("Audit")
            .summary("List changes made through the API")
            .description(
                "Newest first, from all nodes. Each node keeps its latest records in memory until"
                    + " it stops; its log files contain all records. Use `meta.cursor` for further "
                    + "pages.")
            .role(Role.ADMINISTRATOR)
            .paged(CURSOR, MAX_CURSOR)
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
    Map<String, Long> cursors = paging.cursor().map(AuditResource::decode).orElse(null);
    int skipped = cursors == null ? paging.page() - 1 : 0;
    return page(request, cursors, skipped)
        .thenApply(
            page ->
                Response.list(
                    page.records().stream().map(AuditResource::json).toList(),
                    new Meta(
                        paging.page(),
                        paging.limit(),
                        !page.next().isEmpty(),
                        null,
                        page.next().isEmpty() ? null : encode(page.next()),
                        page.problems().isEmpty() ? null : page.problems())));
  }

  /** Pages before the requested one are read in steps, so that no list is longer than a page. */
  private CompletableFuture<ClusterAudit.Page> page(
      Request request, @Nullable Map<String, Long> cursors, int skipped) {
    request.requireTimeLeft();
    return audit
        .page(cursors, request.paging().limit(), filter(request))
        .thenCompose(
            page -> {
              if (skipped == 0) {
                return CompletableFuture.completedFuture(page);
              }
              return page.next().isEmpty()
                  ? CompletableFuture.completedFuture(
                      new ClusterAudit.Page(List.of(), Map.of(), page.problems()))
                  : page(request, page.next(), skipped - 1);
            });
  }

  private static Map<String, Long> decode(String cursor) {
    Map<String, Long> cursors = new LinkedHashMap<>();
    for (String pair : cursor.split(",", -1)) {
      int at = pair.indexOf('=');
      cursors.put(pair.substring(0, at), Long.valueOf(pair.substring(at + 1)));
    }
    return cursors;
  }

  private static String encode(Map<String, Long> cursors) {
    return cursors.entrySet().stream()
        .map(cursor -> cursor.getKey() + "=" + cursor.getValue())
        .collect(Collectors.joining(","));
  }

  private static AuditFilter filter(Request request) {
    return new AuditFilter(
        request.text("source").orElse(null),
        request.text("source_ip").orElse(null),
        request.text("operation_id").orElse(null),
        request.text("operation_result").map(SUCCESS::equals).orElse(null),
        request.time("gte_created_at").orElse(null),
        request.time("lte_created_at").orElse(null));
  }

  private static AuditJson json(OfNode<AuditRecord> found) {
    AuditRecord one = found.value();
    Caller caller = one.caller();
    return new AuditJson(
        one.time(),
        found.node(),
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
