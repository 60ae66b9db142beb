package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** The users of the API: people who administer the cluster. */
@Command(
    name = "users",
    description = "Manage the users of the API, who administer the cluster (not MQTT clients)")
final class UsersCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("USER", "username"),
          Column.text("ROLE", "role"),
          Column.text("TENANT", "tenant").optional(),
          Column.text("DESCRIPTION", "description").optional(),
          Column.time("CREATED-AT", "created_at"));

  private static final String USERS = "users";
  private static final String NAME = "NAME";
  private static final String WHICH = "name of the user";

  private final CommandContext context;

  UsersCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List the users")
  int list(@Mixin ListOptions list) {
    return context.list(Listing.whole(ApiPath.of(USERS), COLUMNS), list);
  }

  @Command(
      name = "add",
      description = {
        "Add a user; prompts for the password",
        "Without a terminal and --password-file, generates a password and prints it."
      })
  int add(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Option(
              names = "--role",
              required = true,
              paramLabel = "ROLE",
              description = "viewer, operator or administrator")
          Role role,
      @Option(
              names = "--tenant",
              paramLabel = "TENANT",
              description = "tenant that the user is bound to (default: none)")
          @Nullable String tenant,
      @Option(names = "--description", paramLabel = "TEXT", description = "free text")
          @Nullable String description,
      @Mixin PasswordSource password,
      @Mixin JsonOption json) {
    NewPassword chosen = password.readOrGenerate(context.terminal());
    ObjectNode body =
        Json.object()
            .put("username", name)
            .put("role", role.toString())
            .put("password", chosen.text());
    if (tenant != null) {
      body.put("tenant", tenant);
    }
    if (description != null) {
      body.put("description", description);
    }
    ApiReply reply = context.api().post(ApiPath.of(USERS), body);
    String message = "user '" + name + "' added";
    return chosen.isGenerated()
        ? context.done(chosen.addTo(reply), json, message + "; password: " + chosen.text())
        : context.done(reply, json, message);
  }

  @Command(name = "del", description = "Delete a user")
  int delete(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    if (!context.confirm(yes, "Delete user '" + name + "'?")) {
      return ExitCode.FAILED;
    }
    return context.done(
        context.api().delete(ApiPath.of(USERS, name)), json, "user '" + name + "' deleted");
  }

  @Command(
      name = "set-password",
      description = {
        "Set the password of a user; prompts for it",
        "Invalidates all tokens of the user."
      })
  int setPassword(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Mixin PasswordSource password,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put("new_pwd", password.read(context.terminal()));
    return context.done(
        context.api().post(ApiPath.of(USERS, name, "change_pwd"), body),
        json,
        "password of user '" + name + "' set");
  }

  @Command(
      name = "logout-all",
      description = {
        "Log out all users: replace the key that signs tokens",
        "All tokens become invalid on every node; API keys are not affected."
      })
  int logoutAll(@Mixin YesOption yes, @Mixin JsonOption json) {
    if (!context.confirm(yes, "Log out all users?")) {
      return ExitCode.FAILED;
    }
    return context.done(
        context.api().post(ApiPath.of("login", "rotate_key"), null),
        json,
        "token key replaced; all users must log in again");
  }
}
