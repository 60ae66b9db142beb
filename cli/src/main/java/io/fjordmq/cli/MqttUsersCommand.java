package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.imports.ImportedUsers;
import io.fjordmq.cli.output.Column;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The MQTT users. */
@Command(name = "mqtt-users", description = "Manage MQTT users (not the users of the API)")
final class MqttUsersCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("USER", "user_id"),
          Column.flag("SUPERUSER", "is_superuser"),
          Column.flag("ENABLED", "enable"),
          Column.text("TENANT", "tenant").optional(),
          Column.text("GROUPS", "groups"),
          Column.text("PASSWORD", "password_hash"),
          Column.text("SCRAM", "scram").optional(),
          Column.time("CREATED-AT", "created_at").ifWide());

  /** The database that the API names after EMQX. */
  static final String DATABASE = "password_based:built_in_database";

  private static final String AUTHENTICATION = "authentication";
  private static final String NAME = "NAME";
  private static final String WHICH = "user name";
  private static final String GROUP_TEXT =
      "group whose rules apply to the user's clients; repeat it for several";

  private final CommandContext context;

  MqttUsersCommand(CommandContext context) {
    this.context = context;
  }

  private static ApiPath users() {
    return ApiPath.of(AUTHENTICATION, DATABASE, "users");
  }

  private static ApiPath user(String name) {
    return ApiPath.of(AUTHENTICATION, DATABASE, "users", name);
  }

  /** The properties of a user that can be changed. */
  static final class Properties {
    @Option(
        names = "--superuser",
        negatable = true,
        description = "whether the user's clients may do everything")
    @Nullable Boolean isSuperuser;

    @Option(names = "--enabled", negatable = true, description = "whether the user can log in")
    @Nullable Boolean isEnabled;

    @Option(names = "--group", paramLabel = "GROUP", description = GROUP_TEXT)
    @Nullable List<String> groups;

    @Option(names = "--no-groups", description = "the user has no groups")
    boolean hasNoGroups;

    @Option(
        names = "--attribute",
        paramLabel = "NAME=VALUE",
        description = "value of the placeholder $${client_attrs.NAME}; repeat it for several")
    @Nullable Map<String, String> attributes;

    @Option(names = "--no-attributes", description = "the user has no attributes")
    boolean hasNoAttributes;

    void putInto(ObjectNode body) {
      if (isSuperuser != null) {
        body.put("is_superuser", isSuperuser);
      }
      if (isEnabled != null) {
        body.put("enable", isEnabled);
      }
      if (groups != null && hasNoGroups || attributes != null && hasNoAttributes) {
        throw new UsageException(
            "--no-groups and --group, or --no-attributes and --attribute, cannot be combined");
      }
      if (groups != null || hasNoGroups) {
        ArrayNode list = body.putArray("groups");
        if (groups != null) {
          groups.forEach(list::add);
        }
      }
      if (attributes != null || hasNoAttributes) {
        ObjectNode map = body.putObject("client_attrs");
        if (attributes != null) {
          attributes.forEach(map::put);
        }
      }
    }
  }

  @Command(name = "list", description = "List the MQTT users")
  int list(
      @Mixin ListOptions list,
      @Option(
              names = "--like-user-id",
              paramLabel = "TEXT",
              description = "only names that contain this text")
          @Nullable String like,
      @Option(names = "--group", paramLabel = "GROUP", description = "only users of this group")
          @Nullable String group,
      @Option(names = "--tenant", paramLabel = "TENANT", description = "only users of this tenant")
          @Nullable String tenant) {
    ApiPath path = users().with("like_user_id", like).with("group", group).with("tenant", tenant);
    return context.list(Listing.paged(path, COLUMNS), list);
  }

  @Command(name = "show", description = "Show an MQTT user")
  int show(
      @Parameters(paramLabel = NAME, description = WHICH) String name, @Mixin JsonOption json) {
    return context.show(context.api().get(user(name)), json);
  }

  @Command(
      name = "add",
      description = {
        "Add an MQTT user; prompts for the password",
        "Without a terminal and --password-file, generates a password and prints it."
      })
  int add(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Option(
              names = "--tenant",
              paramLabel = "TENANT",
              description = "tenant of the user's clients (default: yours, or the default tenant)")
          @Nullable String tenant,
      @Mixin Properties properties,
      @Mixin PasswordSource password,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put("user_id", name);
    properties.putInto(body);
    if (tenant != null) {
      body.put("tenant", tenant);
    }
    NewPassword chosen = password.readOrGenerate(context.terminal());
    body.put("password", chosen.text());
    ApiReply reply = context.api().post(users(), body);
    noteIfUnused();
    String message = "MQTT user '" + name + "' added";
    return chosen.isGenerated()
        ? context.done(chosen.addTo(reply), json, message + "; password: " + chosen.text())
        : context.done(reply, json, message);
  }

  /** Tells that nobody can log in as a user of the database, if no provider uses it. */
  private void noteIfUnused() {
    JsonNode providers;
    try {
      providers = context.api().get(ApiPath.of(AUTHENTICATION)).json().path("data");
    } catch (ApiFailure failure) {
      return; // the caller may be bound to a tenant, which must not see the providers
    }
    for (JsonNode provider : providers) {
      if (provider.path("backend").asString("").equals("built_in_database")) {
        return;
      }
    }
    context
        .terminal()
        .message(
            "note: the node has no provider of type database, so users of the database cannot"
                + " log in yet; see docs/AUTHENTICATION.md");
  }

  @Command(
      name = "set",
      description = {
        "Change the properties of an MQTT user",
        "Changed groups take effect immediately. All other changes disconnect the user's clients."
      })
  int set(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Mixin Properties properties,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object();
    properties.putInto(body);
    if (body.isEmpty()) {
      throw new UsageException("nothing to change; set at least one option");
    }
    return context.done(
        context.api().put(user(name), body), json, "MQTT user '" + name + "' changed");
  }

  @Command(
      name = "set-password",
      description = {
        "Set the password of an MQTT user; prompts for it",
        "Disconnects the user's clients."
      })
  int setPassword(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Mixin PasswordSource password,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put("password", password.read(context.terminal()));
    return context.done(
        context.api().put(user(name), body), json, "password of MQTT user '" + name + "' set");
  }

  @Command(
      name = "import",
      description = {
        "Import users and rules from mosquitto or EMQX",
        "Existing users and rules are left unchanged. Standard error lists what could not be"
            + " carried over, and why."
      })
  int importFile(
      @Mixin ImportSource source,
      @Option(
              names = "--tenant",
              paramLabel = "TENANT",
              description = "tenant of the clients (default: yours, or the default tenant)")
          @Nullable String tenant,
      @Option(names = "--dry-run", description = "print what would be imported, as JSON")
          boolean isDryRun,
      @Mixin JsonOption json) {
    ImportedUsers imported = source.read();
    if (isDryRun) {
      context.terminal().out().println(imported.toJson().toPrettyString());
      return ExitCode.DONE;
    }
    ObjectNode summary = new UserImport(context, tenant).run(imported);
    if (json.isJson) {
      context.terminal().out().println(summary);
      return ExitCode.DONE;
    }
    for (JsonNode name : summary.path("existing")) {
      context.terminal().message("left unchanged: " + name.asString(""));
    }
    for (JsonNode what : summary.path("not_carried_over")) {
      context.terminal().message("not carried over: " + what.asString(""));
    }
    context
        .terminal()
        .line(
            "%d users and the rules of %d owners imported"
                .formatted(
                    summary.path("users_created").asInt(0),
                    summary.path("rules_created").asInt(0)));
    return ExitCode.DONE;
  }

  @Command(
      name = "del",
      description = {
        "Delete an MQTT user, and disconnect its clients",
        "Rules of the user remain; see mqtt-rules del."
      })
  int delete(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    if (!context.confirm(yes, "Delete MQTT user '" + name + "'?")) {
      return ExitCode.FAILED;
    }
    return context.done(context.api().delete(user(name)), json, "MQTT user '" + name + "' deleted");
  }
}
