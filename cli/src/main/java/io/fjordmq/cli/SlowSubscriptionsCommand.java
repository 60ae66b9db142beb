package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The subscriptions with the highest delivery latency. */
@Command(name = "slow-subscriptions", description = "List and clear the slowest subscribers")
final class SlowSubscriptionsCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("CLIENT", "clientid"),
          Column.text("TENANT", "tenant").optional(),
          Column.text("TOPIC", "topic"),
          Column.number("LATENCY-MS", "timespan"),
          Column.text("NODE", "node"),
          Column.time("LAST-UPDATE", "last_update_time"));

  private static final ApiPath PATH = ApiPath.of("slow_subscriptions");

  private final CommandContext context;

  SlowSubscriptionsCommand(CommandContext context) {
    this.context = context;
  }

  @Command(
      name = "list",
      description = {
        "List the clients with the highest delivery latency, slowest first",
        "Latency is the time from accepting a message until the client has acknowledged it."
      })
  int list(
      @Mixin ListOptions list,
      @Option(names = "--tenant", paramLabel = "TENANT", description = "exact tenant of the client")
          @Nullable String tenant) {
    return context.list(Listing.paged(PATH.with("tenant", tenant), COLUMNS), list);
  }

  @Command(name = "clear", description = "Clear the lists of all nodes")
  int clear(
      @Option(
              names = "--tenant",
              paramLabel = "TENANT",
              description = "clear only the clients of this tenant (default: of all tenants)")
          @Nullable String tenant,
      @Mixin JsonOption json) {
    return context.done(
        context.api().delete(PATH.with("tenant", tenant)), json, "slow subscriptions cleared");
  }
}
