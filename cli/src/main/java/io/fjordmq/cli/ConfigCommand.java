package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import io.fjordmq.cli.output.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The configuration. */
@Command(name = "config", description = "Show the configuration of a node, and change it")
final class ConfigCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("KEY", "key"),
          Column.text("VALUE", "value"),
          Column.text("ORIGIN", "origin"),
          Column.text("DEFAULT", "default_value"),
          Column.text("API-VALUE", "api_value").optional(),
          Column.flag("RELOADABLE", "reloadable").ifWide(),
          Column.text("SOURCE", "source").ifWide());

  private static final String CONFIGS = "configs";
  private static final String KEY = "KEY";
  private static final String WHICH = "a key, such as sessionConfig.maxQueuedMessages";

  private final CommandContext context;

  ConfigCommand(CommandContext context) {
    this.context = context;
  }

  @Command(
      name = "show",
      description = {
        "Show the effective value of every key",
        "Shows the configuration of the running node. If the node on this host is not running,"
            + " shows the values that its configuration file and the environment of this shell"
            + " would give it. Secrets are redacted."
      })
  int show(
      @Option(names = "--changed", description = "only keys that differ from their default")
          boolean isChanged,
      @Option(
              names = "--offline",
              description = "read the configuration file even if the node is running")
          boolean isOffline,
      @Option(
              names = "--node",
              paramLabel = "NODE",
              description = "id or name of another node of the cluster")
          @Nullable String node,
      @Mixin JsonOption json) {
    if (isOffline && node != null) {
      throw new UsageException("--offline reads a file of this host; omit it with --node");
    }
    if (!isOffline) {
      ListOptions options = new ListOptions();
      options.isJson = json.isJson;
      options.limit = 0;
      try {
        return context.list(
            Listing.paged(
                ApiPath.of(CONFIGS)
                    .with("node", node)
                    .with("changed", isChanged ? Boolean.TRUE : null),
                COLUMNS),
            options);
      } catch (ApiFailure failure) {
        if (failure.kind() != ApiFailure.Kind.UNREACHABLE || !context.isLocal() || node != null) {
          throw failure;
        }
      }
    }
    return showFile(isChanged, json);
  }

  private int showFile(boolean isChanged, JsonOption json) {
    BrokerProgram program = context.broker();
    BrokerProgram.Result result =
        program.run("--show-config", "-c", program.configuration().toString());
    context.terminal().err().print(result.err());
    if (!result.isSuccess()) {
      return ExitCode.FAILED;
    }
    List<JsonNode> entries =
        Json.parse(result.out())
            .valueStream()
            .filter(entry -> !isChanged || !entry.path("value").equals(entry.path("default_value")))
            .toList();
    context
        .terminal()
        .message(
            "not from a running node: %s and the environment of this shell"
                .formatted(program.configuration()));
    if (json.isJson) {
      context.terminal().out().println(entries);
    } else {
      new Table(COLUMNS, context.terminal().width(), context.terminal().out()).print(entries);
    }
    return ExitCode.DONE;
  }

  @Command(name = "get", description = "Show the value of a key, or all keys of a section")
  int get(
      @Parameters(paramLabel = KEY, description = WHICH + ", or a section") String key,
      @Option(
              names = "--node",
              paramLabel = "NODE",
              description = "id or name of another node of the cluster")
          @Nullable String node,
      @Mixin JsonOption json) {
    ApiReply reply = context.api().get(ApiPath.of(CONFIGS, key).with("node", node));
    List<JsonNode> entries = reply.json().valueStream().toList();
    if (json.isJson) {
      context.terminal().out().println(reply.text());
    } else if (entries.size() == 1 && entries.get(0).path("key").asString("").equals(key)) {
      context.terminal().line(entries.get(0).path("value").asString(""));
    } else {
      new Table(COLUMNS, context.terminal().width(), context.terminal().out()).print(entries);
    }
    return ExitCode.DONE;
  }

  @Command(
      name = "set",
      description = {
        "Set values for the whole cluster, either all of them or none",
        "Only keys that are reloadable can be set. A node keeps its own value if its environment,"
            + " system properties or command line set the key."
      })
  int set(
      @Parameters(
              arity = "1..*",
              paramLabel = "KEY=VALUE",
              description = "a key and its value, such as sessionConfig.maxQueuedMessages=500")
          List<String> assignments,
      @Mixin JsonOption json) {
    ObjectNode values = Json.object();
    if (assignments.size() == 2 && assignments.get(0).indexOf('=') < 0) {
      values.put(assignments.get(0), assignments.get(1)); // KEY VALUE
    } else {
      for (String assignment : assignments) {
        int at = assignment.indexOf('=');
        if (at < 1) {
          throw new UsageException("expected KEY=VALUE, not '" + assignment + "'");
        }
        values.put(assignment.substring(0, at), assignment.substring(at + 1));
      }
    }
    ObjectNode body = Json.object();
    body.set("values", values);
    return changed(context.api().put(ApiPath.of(CONFIGS), body), json);
  }

  @Command(
      name = "unset",
      description = {
        "Remove a value that was set for the whole cluster",
        "Each node then uses the value of its configuration file, or the default."
      })
  int unset(@Parameters(paramLabel = KEY, description = WHICH) String key, @Mixin JsonOption json) {
    return changed(context.api().delete(ApiPath.of(CONFIGS, key)), json);
  }

  private int changed(ApiReply reply, JsonOption json) {
    if (json.isJson) {
      context.terminal().out().println(reply.text());
      return ExitCode.DONE;
    }
    for (JsonNode entry : reply.json()) {
      String key = entry.path("key").asString("");
      String value = entry.path("value").asString("");
      context.terminal().line(key + ": " + value);
      String set = entry.path("api_value").asString("");
      if (!set.isEmpty() && !entry.path("origin").asString("").equals("api")) {
        context
            .terminal()
            .message(
                "warning: the node that responded keeps %s for %s, because %s sets it; other nodes"
                        .formatted(
                            value, key, entry.path("source").asString("its own configuration"))
                    + " use "
                    + set);
      }
    }
    return ExitCode.DONE;
  }
}
