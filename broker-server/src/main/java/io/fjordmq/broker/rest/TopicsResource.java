package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.CursorText;
import io.fjordmq.broker.query.TopicQueries;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Topic filters that have subscribers. */
public final class TopicsResource implements Resource {
  private static final String TAG = "Topics";
  private static final String PREFIX = "prefix";
  private static final String LEVEL_PREFIX = "([\\s\\S]*/)?";

  /** A longer prefix may not fit in the request line. */
  private static final int MAX_PREFIX_CHARS = 1_024;

  private static final String TIME_LIMIT =
      "the time limit for reading the routes was reached; topic filters may be missing";

  private final TopicQueries topics;

  public TopicsResource(TopicQueries topics) {
    this.topics = topics;
  }

  @Override
  public List<Operation> operations() {
    return List.of(list(), show(), levels());
  }

  private Operation list() {
    return Operation.get("/topics")
        .id("listTopics")
        .tag(TAG)
        .summary("List topic filters that have subscribers")
        .description(
            "Sorted by topic filter. Each page has a time limit; if the time runs out,"
                + " `meta.partial` reports this.")
        .role(Role.VIEWER)
        .tenants()
        .paged(TextRule.CURSOR)
        .query(Parameter.text("topic", "Exact topic filter"))
        .query(TopicTenant.parameter())
        .okList(TopicJson.class)
        .handler(QueryErrors.translated(this::list));
  }

  private CompletableFuture<Response> list(Request request) {
    String tenant = TopicTenant.of(request);
    Paging paging = request.paging();
    Optional<String> wanted = request.text("topic");
    if (wanted.isPresent()) {
      return CompletableFuture.completedFuture(
          paging.slice(
              topics.find(tenant, wanted.get()).stream()
                  .map(filter -> TopicJson.of(tenant, filter))
                  .toList()));
    }
    String after = paging.cursor().map(CursorText::text).orElse("");
    int skip = paging.cursor().isPresent() ? 0 : ClientsResource.offset(paging);
    return topics
        .list(tenant, after, skip, paging.limit())
        .thenApply(
            page -> {
              @Nullable String next = page.next();
              boolean isAll =
                  page.complete()
                      && next == null
                      && paging.page() == 1
                      && paging.cursor().isEmpty();
              return Response.list(
                  page.filters().stream().map(filter -> TopicJson.of(tenant, filter)).toList(),
                  new Meta(
                      paging.page(),
                      paging.limit(),
                      next != null,
                      isAll ? Long.valueOf(page.filters().size()) : null,
                      next == null ? null : CursorText.of(next),
                      page.complete() ? null : List.of(TIME_LIMIT)));
            });
  }

  private Operation show() {
    return Operation.get("/topics/{topic}")
        .id("showTopic")
        .tag(TAG)
        .summary("Show the subscribers of a topic filter")
        .role(Role.VIEWER)
        .tenants()
        .path("topic", "Topic filter, URL-encoded")
        .query(TopicTenant.parameter())
        .okArray(TopicJson.class)
        .notFound("The topic filter has no subscribers")
        .handler(
            QueryErrors.translated(
                request -> {
                  String tenant = TopicTenant.of(request);
                  String wanted = request.path("topic");
                  TopicQueries.SubscribedTopic found =
                      topics
                          .find(tenant, wanted)
                          .orElseThrow(
                              () ->
                                  new ApiException(
                                      ErrorCode.TOPIC_NOT_FOUND,
                                      "topic filter '" + wanted + "' has no subscribers"));
                  return CompletableFuture.completedFuture(
                      Response.ok(List.of(TopicJson.of(tenant, found))));
                }));
  }

  private Operation levels() {
    return Operation.get("/topic_levels")
        .id("listTopicLevels")
        .tag(TAG)
        .summary("List the levels below a prefix of topic filters that have subscribers")
        .description(
            "Shows topic filters as a tree, one level at a time. Each page reads all routes of the"
                + " tenant within a time limit; if the time runs out, `meta.partial` reports this.")
        .role(Role.VIEWER)
        .tenants()
        .paged(TextRule.CURSOR)
        .query(
            Parameter.text(
                PREFIX,
                "Text before the levels, which ends with a slash, such as `site/1/`; empty or"
                    + " absent for the first level",
                LEVEL_PREFIX,
                MAX_PREFIX_CHARS))
        .query(TopicTenant.parameter())
        .okList(TopicLevelJson.class)
        .handler(QueryErrors.translated(this::levels));
  }

  private CompletableFuture<Response> levels(Request request) {
    Paging paging = request.paging();
    String prefix = request.text(PREFIX).orElse("");
    @Nullable String after = paging.cursor().map(TopicsResource::levelAt).orElse(null);
    int skip = after != null ? 0 : ClientsResource.offset(paging);
    return topics
        .levels(TopicTenant.of(request), prefix, after, skip, paging.limit())
        .thenApply(
            page -> {
              @Nullable String next = page.next();
              boolean isAll = page.complete() && next == null && skip == 0 && after == null;
              return Response.list(
                  page.levels().stream().map(level -> TopicLevelJson.of(prefix, level)).toList(),
                  new Meta(
                      paging.page(),
                      paging.limit(),
                      next != null,
                      isAll ? Long.valueOf(page.levels().size()) : null,
                      next == null ? null : CursorText.of("/" + next),
                      page.complete() ? null : List.of(TIME_LIMIT)));
            });
  }

  /** A level may be empty, a cursor may not: it begins with a slash, which no level contains. */
  private static String levelAt(String cursor) {
    String text = CursorText.text(cursor);
    return text.startsWith("/") ? text.substring(1) : text;
  }
}
