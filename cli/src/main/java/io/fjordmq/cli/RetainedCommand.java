package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Retained messages. */
@Command(name = "retained", description = "List, show and delete retained messages")
final class RetainedCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("TOPIC", "topic"),
          Column.number("QOS", "qos"),
          Column.time("PUBLISHED-AT", "publish_at"),
          Column.text("CLIENT", "from_clientid"),
          Column.text("USER", "from_username").optional());

  private static final String TOPIC = "TOPIC";

  private final CommandContext context;

  RetainedCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List retained messages")
  int list(
      @Mixin ListOptions list,
      @Option(
              names = "--topic",
              paramLabel = "FILTER",
              description = "topic filter that the topics match")
          @Nullable String topic) {
    return context.list(
        Listing.paged(ApiPath.of("mqtt", "retainer", "messages").with("topic", topic), COLUMNS),
        list);
  }

  @Command(name = "show", description = "Show a retained message with its payload in Base64")
  int show(
      @Parameters(paramLabel = TOPIC, description = "exact topic") String topic,
      @Mixin JsonOption json) {
    return context.show(context.api().get(message(topic)), json);
  }

  @Command(name = "delete", description = "Delete a retained message")
  int delete(
      @Parameters(paramLabel = TOPIC, description = "exact topic") String topic,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    if (!context.confirm(yes, "Delete the retained message of '" + topic + "'?")) {
      return Main.FAILED;
    }
    return context.done(
        context.api().delete(message(topic)), json, "retained message of '" + topic + "' deleted");
  }

  private static ApiPath message(String topic) {
    return ApiPath.of("mqtt", "retainer", "message", topic);
  }
}
