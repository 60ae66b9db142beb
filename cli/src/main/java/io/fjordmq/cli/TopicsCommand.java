package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Topic filters with subscribers. */
@Command(name = "topics", description = "List topic filters with subscribers")
final class TopicsCommand {
  static final List<Column> COLUMNS =
      List.of(Column.text("TOPIC", "topic"), Column.text("NODE", "node"));

  private final CommandContext context;

  TopicsCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List topic filters, and the nodes with their subscribers")
  int list(
      @Mixin ListOptions list,
      @Option(names = "--topic", paramLabel = "FILTER", description = "exact topic filter")
          @Nullable String topic,
      @Option(names = "--node", paramLabel = "NODE", description = "node with the subscribers")
          @Nullable String node) {
    return context.list(
        Listing.paged(ApiPath.of("topics").with("topic", topic).with("node", node), COLUMNS), list);
  }
}
