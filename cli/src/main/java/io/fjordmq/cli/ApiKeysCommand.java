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

/** The API keys: credentials of programs. */
@Command(name = "api-keys", description = "Manage the API keys that programs use")
final class ApiKeysCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("NAME", "name"),
          Column.text("API-KEY", "api_key"),
          Column.text("ROLE", "role"),
          Column.text("TENANT", "tenant").optional(),
          Column.flag("ENABLED", "enable"),
          Column.time("EXPIRES-AT", "expired_at"),
          Column.flag("EXPIRED", "expired").ifWide(),
          Column.text("DESCRIPTION", "desc").optional());

  private static final String KEYS = "api_key";
  private static final String NAME = "NAME";
  private static final String WHICH = "name of the API key";

  private final CommandContext context;

  ApiKeysCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List the API keys")
  int list(@Mixin ListOptions list) {
    return context.list(Listing.whole(ApiPath.of(KEYS), COLUMNS), list);
  }

  @Command(name = "add", description = "Create an API key, and print it with its secret")
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
              description = "tenant that the key is bound to (default: none)")
          @Nullable String tenant,
      @Option(names = "--description", paramLabel = "TEXT", description = "free text")
          @Nullable String description,
      @Mixin ExpiryOptions expiry,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put("name", name).put("role", role.toString());
    if (tenant != null) {
      body.put("tenant", tenant);
    }
    if (description != null) {
      body.put("desc", description);
    }
    String end = expiry.expiresAt(context.now());
    if (end != null) {
      body.put("expired_at", end);
    }
    ApiReply reply = context.api().post(ApiPath.of(KEYS), body);
    context.show(reply, json);
    if (!json.isJson) {
      context.terminal().message("store api_secret now; it cannot be shown again");
    }
    return ExitCode.DONE;
  }

  @Command(name = "del", description = "Delete an API key")
  int delete(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    if (!context.confirm(yes, "Delete API key '" + name + "'?")) {
      return ExitCode.FAILED;
    }
    return context.done(
        context.api().delete(ApiPath.of(KEYS, name)), json, "API key '" + name + "' deleted");
  }
}
