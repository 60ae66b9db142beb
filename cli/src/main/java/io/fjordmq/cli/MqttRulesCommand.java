package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import io.fjordmq.cli.output.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The rules about the topics of MQTT clients in the database of the cluster. */
@Command(
    name = "mqtt-rules",
    description = "Manage the rules of MQTT users, clients, groups and all clients")
final class MqttRulesCommand {
  private static final List<Column> RULES =
      List.of(
          Column.text("RULE", "number"),
          Column.text("PERMISSION", "permission"),
          Column.text("ACTION", "action"),
          Column.text("TOPIC", "topic"),
          Column.text("QOS", "qos").optional(),
          Column.text("RETAIN", "retain").optional());

  private final CommandContext context;

  MqttRulesCommand(CommandContext context) {
    this.context = context;
  }

  /** The effect of a rule. */
  enum Permission {
    ALLOW,
    DENY;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT); // as on the command line
    }
  }

  /** The actions that a rule applies to. */
  enum Action {
    PUBLISH,
    SUBSCRIBE,
    ALL;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT); // as on the command line
    }
  }

  /** The option that names the tenant of the clients. */
  static final class RuleTenant {
    @Option(
        names = "--tenant",
        paramLabel = "TENANT",
        description = "tenant of the clients (default: yours, or the default tenant)")
    @Nullable String tenant;

    ApiPath applyTo(ApiPath path) {
      return path.with("tenant", tenant);
    }
  }

  @Command(name = "list", description = "List the users, clients or groups that have rules")
  int list(
      @Parameters(paramLabel = "KIND", description = "user, client or group") RuleOwner.Kind kind,
      @Mixin ListOptions list,
      @Mixin RuleTenant tenant) {
    if (kind == RuleOwner.Kind.ALL) {
      throw new UsageException("to list the rules of all clients, use 'mqtt-rules show all'");
    }
    List<Column> columns =
        List.of(
            Column.text(kind.name(), kind.field()),
            Column.computed("RULES", owner -> summary(owner.path("rules"))));
    return context.list(Listing.paged(tenant.applyTo(kind.rules()), columns), list);
  }

  private static String summary(JsonNode rules) {
    List<String> texts = new ArrayList<>();
    for (JsonNode rule : rules) {
      texts.add(
          rule.path("permission").asString("")
              + " "
              + rule.path("action").asString("")
              + " "
              + rule.path("topic").asString(""));
    }
    return String.join(", ", texts);
  }

  @Command(name = "show", description = "Show the rules in the order of their evaluation")
  int show(@Mixin RuleOwner owner, @Mixin RuleTenant tenant, @Mixin JsonOption json) {
    JsonNode found = context.api().get(tenant.applyTo(owner.path())).json();
    if (json.isJson) {
      context.terminal().out().println(found);
      return ExitCode.DONE;
    }
    List<JsonNode> numbered = new ArrayList<>();
    for (JsonNode rule : found.path("rules")) {
      ObjectNode row = Json.object().put("number", numbered.size() + 1);
      rule.properties().forEach(field -> row.set(field.getKey(), field.getValue()));
      numbered.add(row);
    }
    new Table(RULES, context.terminal().width(), context.terminal().out()).print(numbered);
    return ExitCode.DONE;
  }

  @Command(
      name = "add",
      description = {
        "Add a rule after the others",
        "The first rule that matches decides. The rules of the client are evaluated first, then"
            + " those of the user, of its groups, and of all clients. Actions that no rule allows"
            + " are denied."
      })
  int add(
      @Mixin RuleOwner owner,
      @Parameters(index = "2", paramLabel = "PERMISSION", description = "allow or deny")
          Permission permission,
      @Parameters(index = "3", paramLabel = "ACTION", description = "publish, subscribe or all")
          Action action,
      @Parameters(
              index = "4",
              paramLabel = "TOPIC",
              description = "topic filter; can contain placeholders such as $${username}")
          String topic,
      @Option(
              names = "--qos",
              split = ",",
              paramLabel = "QOS",
              description = "only these QoS levels, separated by commas")
          @Nullable List<Integer> qos,
      @Option(
              names = "--retain",
              arity = "1",
              paramLabel = "true|false",
              description = "only publishes with this RETAIN flag")
          @Nullable Boolean retain,
      @Option(names = "--first", description = "add the rule before the others") boolean isFirst,
      @Mixin RuleTenant tenant,
      @Mixin JsonOption json) {
    ObjectNode rule =
        Json.object()
            .put("topic", topic)
            .put("permission", permission.toString())
            .put("action", action.toString());
    if (qos != null) {
      qos.forEach(rule.putArray("qos")::add);
    }
    if (retain != null) {
      rule.put("retain", retain);
    }
    ApiPath path = tenant.applyTo(owner.path());
    CurrentRules current = current(path);
    current.rules.add(isFirst ? 0 : current.rules.size(), rule);
    return write(owner, path, current, json, "rule of " + owner + " added");
  }

  /**
   * The rules to change.
   *
   * @param version with which they are written back, so that no change of others is lost
   */
  private record CurrentRules(List<JsonNode> rules, long version) {}

  private CurrentRules current(ApiPath path) {
    List<JsonNode> rules = new ArrayList<>();
    try {
      JsonNode found = context.api().get(path).json();
      found.path("rules").forEach(rules::add);
      return new CurrentRules(rules, found.path("version").asLong(0));
    } catch (ApiFailure failure) {
      if (failure.kind() != ApiFailure.Kind.NOT_FOUND) {
        throw failure;
      }
      return new CurrentRules(rules, 0);
    }
  }

  private int write(
      RuleOwner owner, ApiPath path, CurrentRules changed, JsonOption json, String message) {
    ObjectNode body = Json.object();
    ArrayNode rules = body.putArray("rules");
    changed.rules.forEach(rules::add);
    body.put("version", changed.version);
    if (owner.kind == RuleOwner.Kind.ALL) {
      return context.done(context.api().post(path, body), json, message);
    }
    body.put(owner.kind.field(), owner.name);
    return context.done(context.api().put(path, body), json, message);
  }

  @Command(name = "del", description = "Delete all rules, or one of them")
  int delete(
      @Mixin RuleOwner owner,
      @Option(
              names = "--rule",
              paramLabel = "N",
              description = "only the rule with this number in 'mqtt-rules show'")
          @Nullable Integer number,
      @Mixin RuleTenant tenant,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    ApiPath path = tenant.applyTo(owner.path());
    if (number == null) {
      if (!context.confirm(yes, "Delete all rules of " + owner + "?")) {
        return ExitCode.FAILED;
      }
      return context.done(context.api().delete(path), json, "rules of " + owner + " deleted");
    }
    CurrentRules current = current(path);
    int count = current.rules.size();
    if (number < 1 || number > count) {
      throw new UsageException(owner + " has " + count + " rules, and no rule number " + number);
    }
    current.rules.remove(number - 1);
    return write(owner, path, current, json, "rule " + number + " of " + owner + " deleted");
  }
}
