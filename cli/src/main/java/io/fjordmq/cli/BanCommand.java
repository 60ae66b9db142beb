package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** The commands about bans. */
@Command(name = "ban", description = "List, add and remove bans")
final class BanCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.computed("KIND", ban -> BanKind.word(ban.path("as").asString(""))),
          Column.text("WHO", "who"),
          Column.text("TENANT", "tenant").optional(),
          Column.text("BY", "by"),
          Column.text("REASON", "reason"),
          Column.time("AT", "at"),
          Column.time("UNTIL", "until"));

  private static final String BANNED = "banned";
  private static final String KIND = "KIND";
  private static final String KINDS = "clientid, username, peerhost (IP address) or cidr";
  private static final String WHO = "WHO";
  private static final String WHOM = "the identifier, user name, address or network";

  private final CommandContext context;

  BanCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List the bans")
  int list(
      @Mixin ListOptions list,
      @Option(names = "--tenant", paramLabel = "TENANT", description = "exact tenant of the ban")
          @Nullable String tenant) {
    return context.list(Listing.paged(ApiPath.of(BANNED).with("tenant", tenant), COLUMNS), list);
  }

  @Command(name = "add", description = "Ban clients, and disconnect those that are connected")
  int add(
      @Parameters(paramLabel = KIND, description = KINDS) BanKind kind,
      @Parameters(paramLabel = WHO, description = WHOM) String who,
      @Mixin ExpiryOptions expiry,
      @Option(
              names = "--reason",
              paramLabel = "TEXT",
              description = "reason for the ban, shown " + "only to operators")
          @Nullable String reason,
      @Option(
              names = "--tenant",
              paramLabel = "TENANT",
              description = "ban only clients of this tenant (default: clients of all tenants)")
          @Nullable String tenant,
      @Mixin JsonOption json) {
    ObjectNode body = Json.object().put("as", kind.apiName()).put("who", who);
    String until = expiry.expiresAt(context.now());
    if (until != null) {
      body.put("until", until);
    }
    if (reason != null) {
      body.put("reason", reason);
    }
    if (tenant != null) {
      body.put("tenant", tenant);
    }
    return context.done(
        context.api().post(ApiPath.of(BANNED), body), json, kind + " '" + who + "' banned");
  }

  @Command(name = "del", description = "Remove a ban")
  int delete(
      @Parameters(paramLabel = KIND, description = KINDS) BanKind kind,
      @Parameters(paramLabel = WHO, description = WHOM) String who,
      @Option(
              names = "--tenant",
              paramLabel = "TENANT",
              description = "tenant of the ban (default: the ban for all tenants)")
          @Nullable String tenant,
      @Mixin JsonOption json) {
    return context.done(
        context.api().delete(ApiPath.of(BANNED, kind.apiName(), who).with("tenant", tenant)),
        json,
        "ban of " + kind + " '" + who + "' removed");
  }
}
