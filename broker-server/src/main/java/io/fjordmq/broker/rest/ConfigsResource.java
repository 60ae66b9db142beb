package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.config.ConfigEntry;
import io.fjordmq.broker.config.ConfigOrigin;
import io.fjordmq.broker.config.NearestKey;
import io.fjordmq.broker.settings.RuntimeSettings;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The effective configuration of nodes, and the values that are set for the whole cluster. */
public final class ConfigsResource implements Resource {
  private static final String TAG = "Configuration";
  private static final String CHANGED = "changed";

  /** Longer keys are not compared, because the cost of a comparison grows with their length. */
  private static final int MAX_COMPARED = 128;

  private static final Parameter KEY =
      Parameter.text("key", "A key, or a section such as sessionConfig")
          .example("sessionConfig.maxQueuedMessages");

  private static final Parameter OF_NODE =
      NodeLookup.query("Node; the one that receives the request if absent");

  private static final Parameter ONLY_CHANGED =
      Parameter.flag(CHANGED, "Only keys whose value differs from the default");

  private final RuntimeSettings settings;
  private final NodeOperations nodes;
  private final NodeLookup lookup;

  /** A key. */
  record ConfigJson(
      @Field(value = "Key", example = "sessionConfig.maxQueuedMessages") String key,
      @Field("Effective value on the node, as in the configuration file; secrets are redacted")
          String value,
      @Field("Value if nothing sets the key; for a limit of one tenant, the shared limit")
          String defaultValue,
      @Field(
              "Where the value comes from, in ascending order of precedence: `default`, `file`,"
                  + " `api`, `environment`, `system_property` or `command_line`")
          ConfigOrigin origin,
      @Field("Line of the file, variable or property that sets the value; absent for others")
          @Nullable String source,
      @Field("Whether the API can change the key while nodes run") boolean reloadable,
      @Field(
              "Value set through the API; it is not in effect on the node if `origin` is not `api`."
                  + " Absent if there is none")
          @Nullable String apiValue) {
    static ConfigJson of(ConfigEntry entry) {
      return new ConfigJson(
          entry.key(),
          entry.value(),
          entry.defaultValue(),
          entry.origin(),
          entry.source(),
          entry.reloadable(),
          entry.apiValue());
    }
  }

  /** Values to set. */
  record ConfigChange(
      @Field(
              value = "Values by key, as in the configuration file; at most 256 characters each",
              maxLength = 256,
              scalar = true)
          Map<String, String> values) {
    ConfigChange {
      if (values.isEmpty()) {
        throw new IllegalArgumentException("values must contain at least one key");
      }
    }
  }

  ConfigsResource(RuntimeSettings settings, NodeOperations nodes, NodeLookup lookup) {
    this.settings = settings;
    this.nodes = nodes;
    this.lookup = lookup;
  }

  /** The entries as JSON, like the data of {@code GET /configs}. */
  public static String json(List<ConfigEntry> entries) {
    byte[] json = new Json().write(entries.stream().map(ConfigJson::of).toList());
    return new String(json, StandardCharsets.UTF_8);
  }

  @Override
  public List<Operation> operations() {
    return List.of(list(), show(), change(), remove());
  }

  private Operation list() {
    return Operation.get("/configs")
        .id("listConfigs")
        .tag(TAG)
        .summary("List the effective configuration of a node")
        .description("Keys are in the order of conf/standalone.yml.")
        .role(Role.VIEWER)
        .paged()
        .query(OF_NODE)
        .query(ONLY_CHANGED)
        .okList(ConfigJson.class)
        .notFound("The node does not exist")
        .conflict("Several nodes have this name")
        .handler(
            request ->
                entries(request)
                    .thenApply(
                        entries ->
                            request
                                .paging()
                                .slice(
                                    entries.stream()
                                        .filter(
                                            entry -> !request.flag(CHANGED) || entry.isChanged())
                                        .map(ConfigJson::of)
                                        .toList())));
  }

  private CompletableFuture<List<ConfigEntry>> entries(Request request) {
    String node = lookup.find(request).orElse(nodes.self());
    return NodeErrors.translate(nodes.configuration(node));
  }

  private Operation show() {
    return Operation.get("/configs/{key}")
        .id("showConfig")
        .tag(TAG)
        .summary("Show a key, or all keys of a section")
        .role(Role.VIEWER)
        .path(KEY)
        .query(OF_NODE)
        .okArray(ConfigJson.class)
        .notFound("The key, section or node does not exist")
        .conflict("Several nodes have this name")
        .handler(
            request ->
                entries(request)
                    .thenApply(entries -> Response.ok(find(entries, request.path("key")))));
  }

  private static List<ConfigJson> find(List<ConfigEntry> entries, String key) {
    List<ConfigJson> found =
        entries.stream().filter(entry -> entry.isIn(key)).map(ConfigJson::of).toList();
    if (found.isEmpty()) {
      throw ApiException.notFound(
          "key or section '%s' does not exist%s".formatted(Excerpt.of(key), hint(key, entries)));
    }
    return found;
  }

  private static String hint(String key, List<ConfigEntry> entries) {
    @Nullable String nearest =
        key.length() > MAX_COMPARED
            ? null
            : NearestKey.to(key, entries.stream().map(ConfigEntry::key).toList());
    return nearest == null ? "; GET /configs lists all keys" : "; did you mean " + nearest + "?";
  }

  private Operation change() {
    return Operation.put("/configs")
        .id("changeConfigs")
        .tag(TAG)
        .summary("Set values for the whole cluster")
        .description(
            "Sets either all of the values or none; other keys keep their values. Only keys that"
                + " are `reloadable` can be set. Each node applies the values at once and after"
                + " each restart, unless its environment, system properties or command line set the"
                + " key. The response contains the entries of these keys on the node that"
                + " responds.")
        .role(Role.ADMINISTRATOR)
        .target(request -> String.join(" ", request.body(ConfigChange.class).values().keySet()))
        .body(ConfigChange.class)
        .okArray(ConfigJson.class)
        .conflict(
            "Another request changed the configuration at the same time, or too many values are"
                + " set")
        .handler(request -> changed(settings.set(request.body(ConfigChange.class).values())));
  }

  private Operation remove() {
    return Operation.delete("/configs/{key}")
        .id("removeConfig")
        .tag(TAG)
        .summary("Remove a value that was set through the API")
        .description("Each node then uses the value of its file, or the default.")
        .role(Role.ADMINISTRATOR)
        .path(KEY)
        .okArray(ConfigJson.class)
        .notFound("No value of the key was set through the API")
        .conflict("Another request changed the configuration at the same time")
        .handler(request -> changed(settings.remove(request.path("key"))));
  }

  private static CompletableFuture<Response> changed(CompletableFuture<List<ConfigEntry>> result) {
    return RecordFailures.translate(result)
        .thenApply(entries -> Response.ok(entries.stream().map(ConfigJson::of).toList()));
  }
}
