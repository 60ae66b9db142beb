package io.fjordmq.broker.rest;

import io.fjordmq.api.Message;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.CursorText;
import io.fjordmq.broker.query.RetainedQueries;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Retained messages. */
public final class RetainedResource implements Resource {
  private static final String TAG = "Retained messages";
  private static final String TOPIC = "topic";
  private static final String ALL_TOPICS = "#";
  private static final int DEFAULT_PAYLOAD_BYTES = 1 << 20;
  private static final int MAX_PAYLOAD_BYTES = 16 << 20;

  private final RetainedQueries retained;

  public RetainedResource(RetainedQueries retained) {
    this.retained = retained;
  }

  @Override
  public List<Operation> operations() {
    return List.of(list(), show(), delete(), deleteMany());
  }

  private Operation list() {
    return Operation.get("/mqtt/retainer/messages")
        .id("listRetained")
        .tag(TAG)
        .summary("List retained messages")
        .description("In no particular order. Payloads are not part of the list.")
        .role(Role.VIEWER)
        .tenants()
        .paged(TextRule.CURSOR)
        .query(
            Parameter.text(
                TOPIC,
                "Topic filter; default #, which matches all topics outside $SYS",
                TextRule.TOPIC_FILTER))
        .query(TopicTenant.parameter())
        .okList(RetainedJson.class)
        .error(503, "Some nodes did not respond")
        .handler(QueryErrors.translated(this::list));
  }

  private CompletableFuture<Response> list(Request request) {
    String tenant = TopicTenant.of(request);
    TopicFilter filter = TopicFilter.parse(request.text(TOPIC).orElse(ALL_TOPICS));
    Paging paging = request.paging();
    byte @Nullable [] cursor = paging.cursor().map(CursorText::bytes).orElse(null);
    int skip = cursor != null ? 0 : ClientsResource.offset(paging);
    return retained
        .list(tenant, filter, cursor, skip, paging.limit())
        .thenApply(page -> response(tenant, page, paging));
  }

  private static Response response(String tenant, RetainedQueries.Page page, Paging paging) {
    byte @Nullable [] next = page.next();
    boolean isAll = next == null && paging.page() == 1 && paging.cursor().isEmpty();
    return Response.list(
        page.messages().stream().map(message -> RetainedJson.of(tenant, message)).toList(),
        new Meta(
            paging.page(),
            paging.limit(),
            next != null,
            isAll ? Long.valueOf(page.messages().size()) : null,
            next == null ? null : CursorText.of(next),
            page.complete()
                ? null
                : List.of("the time limit for one page was reached; continue with the cursor")));
  }

  private Operation show() {
    return Operation.get("/mqtt/retainer/message/{topic}")
        .id("showRetained")
        .tag(TAG)
        .summary("Show a retained message")
        .role(Role.VIEWER)
        .tenants()
        .path(Parameter.text(TOPIC, "Topic, URL-encoded", TextRule.TOPIC))
        .query(TopicTenant.parameter())
        .query(
            Parameter.number(
                    "max_payload_bytes",
                    "Maximum payload size in bytes; a longer payload is truncated",
                    0,
                    MAX_PAYLOAD_BYTES)
                .orElse(DEFAULT_PAYLOAD_BYTES))
        .ok(RetainedMessageJson.class)
        .notFound("The topic has no retained message")
        .error(503, "Some nodes did not respond")
        .handler(
            QueryErrors.translated(
                request -> {
                  String tenant = TopicTenant.of(request);
                  Topic topic = new Topic(request.path(TOPIC));
                  int max = request.number("max_payload_bytes");
                  return retained
                      .find(tenant, topic)
                      .thenApply(
                          found -> {
                            Message message = found.orElseThrow(() -> absent(topic));
                            // In memory as bytes, as Base64 and in the JSON.
                            request.reserve(4L * Math.min(max, message.payload().length));
                            return Response.ok(RetainedMessageJson.of(tenant, message, max));
                          });
                }));
  }

  private static ApiException absent(Topic topic) {
    return ApiException.notFound("topic '" + topic.name() + "' has no retained message");
  }

  private Operation delete() {
    return Operation.delete("/mqtt/retainer/message/{topic}")
        .id("deleteRetained")
        .tag(TAG)
        .summary("Delete a retained message")
        .description("Subscribers are not notified.")
        .role(Role.OPERATOR)
        .tenants()
        .path(Parameter.text(TOPIC, "Topic, URL-encoded", TextRule.TOPIC))
        .query(TopicTenant.parameter())
        .noContent()
        .notFound("The topic has no retained message")
        .error(503, "Some nodes did not respond")
        .handler(
            QueryErrors.translated(
                request -> {
                  Topic topic = new Topic(request.path(TOPIC));
                  return retained
                      .delete(TopicTenant.of(request), topic)
                      .thenApply(
                          existed -> {
                            if (!existed) {
                              throw absent(topic);
                            }
                            return Response.noContent();
                          });
                }));
  }

  private Operation deleteMany() {
    return Operation.delete("/mqtt/retainer/messages")
        .id("deleteAllRetained")
        .tag(TAG)
        .summary("Delete retained messages")
        .description(
            "Deletes all retained messages of the tenant, or those that match `topic`. Subscribers"
                + " are not notified.")
        .role(Role.OPERATOR)
        .tenants()
        .query(
            Parameter.text(
                TOPIC, "Topic filter; default #, which matches all topics", TextRule.TOPIC_FILTER))
        .query(TopicTenant.parameter())
        .noContent()
        .error(503, "Not all messages could be deleted in time; repeat the request")
        .handler(
            QueryErrors.translated(
                request ->
                    retained
                        .deleteAll(
                            TopicTenant.of(request),
                            TopicFilter.parse(request.text(TOPIC).orElse(ALL_TOPICS)))
                        .thenApply(
                            deleted -> {
                              if (!deleted.complete()) {
                                throw ApiException.unavailable(
                                    "deleted %d messages before the time limit; repeat the request"
                                        .formatted(deleted.messages()));
                              }
                              return Response.noContent();
                            })));
  }
}
