package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.config.NearestKey;
import io.fjordmq.broker.logging.ClusterLogLevels;
import io.fjordmq.broker.logging.LogLevel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The levels of loggers, which decide what the nodes write to their logs. */
final class LogLevelsResource implements Resource {
  private static final String TAG = "Log";
  private static final String LEVELS = "/log/levels";
  private static final String LEVEL = "/log/levels/{logger}";
  private static final String LOGGER = "logger";
  private static final String NAME_PATTERN = "[A-Za-z0-9_$.-]+";
  private static final int MAX_NAME = 256;

  /** Longer names are not compared, because the cost of a comparison grows with their length. */
  private static final int MAX_COMPARED = 64;

  private static final String PROBLEM_503 = "No node, or not the requested one, responded";

  private final ClusterLogLevels levels;
  private final NodeLookup lookup;

  record LogLevelJson(
      @Field("Node whose log the level applies to") String node,
      @Field("Name of the logger") String logger,
      @Field("The logger writes lines at this level and above") LogLevel level,
      @Field("Whether the level was changed at run time") boolean changed,
      @Field("When the change ends; absent if it lasts until the node stops")
          @Nullable Instant until) {}

  record SetLogLevelRequest(
      @Field(value = "The new level", example = "debug") LogLevel level,
      @Field(value = "Change only this node (id or name); all live nodes if absent", maxLength = 64)
          @Nullable String node,
      @Field(
              value =
                  "Seconds after which the change ends; if absent, it lasts until the node stops",
              min = 1,
              max = 604_800)
          @Nullable Integer forSeconds) {}

  LogLevelsResource(ClusterLogLevels levels, NodeLookup lookup) {
    this.levels = levels;
    this.lookup = lookup;
  }

  @Override
  public List<Operation> operations() {
    return List.of(list(), set(), reset());
  }

  private Operation list() {
    return Operation.get(LEVELS)
        .id("listLogLevels")
        .tag(TAG)
        .summary("List the levels of loggers")
        .description(
            "Contains the loggers that have their own level. All others inherit the level of their"
                + " nearest parent, or of `ROOT`.")
        .role(Role.VIEWER)
        .query(NodeLookup.query("Only the levels of this node"))
        .okList(LogLevelJson.class)
        .notFound("The node does not exist or is down")
        .conflict("Several nodes have this name")
        .error(503, PROBLEM_503)
        .handler(
            request -> {
              String node = lookup.find(request).map(this::live).orElse(null);
              return levels.list(node).thenApply(LogLevelsResource::respond);
            });
  }

  private Operation set() {
    return Operation.put(LEVEL)
        .id("setLogLevel")
        .tag(TAG)
        .summary("Change the level of a logger")
        .description(
            "The change is not persistent: it ends when the node stops, or after `for_seconds`. To"
                + " change a level permanently, edit `conf/logback.xml`.")
        .role(Role.ADMINISTRATOR)
        .path(logger())
        .body(SetLogLevelRequest.class)
        .target(
            request ->
                request.path(LOGGER) + " " + request.body(SetLogLevelRequest.class).level().label())
        .okList(LogLevelJson.class)
        .notFound("No logger or class has this name, or the node does not exist or is down")
        .conflict("Several nodes have this name")
        .error(503, PROBLEM_503)
        .handler(this::set);
  }

  private Operation reset() {
    return Operation.delete(LEVEL)
        .id("resetLogLevel")
        .tag(TAG)
        .summary("Reset the level of a logger")
        .description("Restores the level that the file `conf/logback.xml` sets.")
        .role(Role.ADMINISTRATOR)
        .path(logger())
        .query(NodeLookup.query("Change only this node; all live nodes if absent"))
        .okList(LogLevelJson.class)
        .notFound("No logger or class has this name, or the node does not exist or is down")
        .conflict("Several nodes have this name")
        .error(503, PROBLEM_503)
        .handler(
            request -> {
              String node = lookup.find(request).map(this::live).orElse(null);
              return levels
                  .reset(node, requireLogger(request.path(LOGGER)))
                  .thenApply(LogLevelsResource::respond);
            });
  }

  private static Parameter logger() {
    return Parameter.text(
            LOGGER,
            "Name of the logger: a class, a package, the last part of either if it is unique, or"
                + " `ROOT`",
            NAME_PATTERN,
            MAX_NAME)
        .example("io.fjordmq.clients");
  }

  private CompletableFuture<Response> set(Request request) {
    SetLogLevelRequest body = request.body(SetLogLevelRequest.class);
    String wanted = body.node();
    String node = wanted == null ? null : live(lookup.id(wanted));
    Integer seconds = body.forSeconds();
    return levels
        .set(
            node,
            requireLogger(request.path(LOGGER)),
            body.level(),
            seconds == null ? null : Duration.ofSeconds(seconds))
        .thenApply(LogLevelsResource::respond);
  }

  private String live(String node) {
    if (!levels.isAlive(node)) {
      throw ApiException.notFound("node '%s' is down".formatted(node));
    }
    return node;
  }

  private String requireLogger(String name) {
    List<String> found = levels.own().find(name);
    if (found.size() == 1) {
      return found.get(0);
    }
    if (found.isEmpty()) {
      throw ApiException.notFound(
          "no logger or class is named '%s'%s".formatted(Excerpt.of(name), hint(name)));
    }
    throw ApiException.badRequest(
        "logger '%s' is ambiguous: use one of %s"
            .formatted(Excerpt.of(name), String.join(", ", found)));
  }

  /** A suffix for the message about an unknown name. */
  private String hint(String name) {
    if (name.length() > MAX_COMPARED) {
      return "";
    }
    boolean isShort = name.indexOf('.') < 0;
    Stream<String> known = levels.own().known().stream();
    @Nullable String nearest =
        NearestKey.to(
            name,
            known.map(full -> isShort ? full.substring(full.lastIndexOf('.') + 1) : full).toList());
    return nearest == null ? "" : "; did you mean " + nearest + "?";
  }

  private static Response respond(ClusterLogLevels.Result result) {
    List<LogLevelJson> data =
        result.levels().stream()
            .map(
                of ->
                    new LogLevelJson(
                        of.node(),
                        of.level().logger(),
                        of.level().level(),
                        of.level().changed(),
                        of.level().until()))
            .toList();
    if (data.isEmpty()) {
      throw ApiException.unavailable(String.join("; ", result.problems()));
    }
    return Response.list(
        data,
        new Meta(
            1,
            Paging.MAX_LIMIT,
            false,
            (long) data.size(),
            null,
            result.problems().isEmpty() ? null : result.problems()));
  }
}
