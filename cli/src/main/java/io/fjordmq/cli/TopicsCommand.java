package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Topic filters with subscribers. */
@Command(name = "topics", description = "List topic filters with subscribers")
final class TopicsCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("TOPIC", "topic"),
          Column.number("SESSIONS", "sessions"),
          Column.text("NODES", "nodes"));

  private static final String TOPICS = "topics";

  private final CommandContext context;

  TopicsCommand(CommandContext context) {
    this.context = context;
  }

  @Command(
      name = "list",
      description = {
        "List topic filters that have subscribers",
        "SESSIONS is the number of subscribed persistent sessions; NODES lists the nodes with "
            + "connected subscribers."
      })
  int list(
      @Mixin ListOptions list,
      @Option(names = "--topic", paramLabel = "FILTER", description = "exact topic filter")
          @Nullable String topic,
      @Mixin TopicTenantOption tenant) {
    return context.list(
        Listing.paged(tenant.applyTo(ApiPath.of(TOPICS).with("topic", topic)), COLUMNS), list);
  }

  @Command(name = "show", description = "Show the subscribers of a topic filter")
  int show(
      @Parameters(paramLabel = "FILTER", description = "exact topic filter") String topic,
      @Mixin TopicTenantOption tenant,
      @Mixin ListOptions list) {
    return context.list(Listing.whole(tenant.applyTo(ApiPath.of(TOPICS, topic)), COLUMNS), list);
  }
}
