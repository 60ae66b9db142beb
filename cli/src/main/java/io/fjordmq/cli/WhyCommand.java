package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** The latest events of a client. */
@Command(
    name = "why",
    description = {
      "Show what happened to a client",
      "Lists its latest events on all nodes, such as connects, denials, drops and disconnects, with"
          + " their reasons."
    })
final class WhyCommand implements Callable<Integer> {
  private static final Set<String> NAMED = Set.of("at", "node", "type", "reason");

  static final List<Column> COLUMNS =
      List.of(
          Column.time("AT", "at"),
          Column.text("NODE", "node"),
          Column.text("EVENT", "type"),
          Column.text("REASON", "reason"),
          Column.computed("DETAIL", WhyCommand::detail));

  private final CommandContext context;

  @Parameters(paramLabel = ClientsCommand.CLIENT, description = ClientsCommand.WHICH)
  private String client = "";

  @Mixin private final TenantOption tenant = new TenantOption();

  @Mixin private final ListOptions list = new ListOptions();

  WhyCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    return context.list(
        Listing.whole(tenant.applyTo(ApiPath.of("clients", client, "events")), COLUMNS), list);
  }

  /** What an event contains apart from the other columns; depends on its type. */
  private static String detail(JsonNode event) {
    return event
        .propertyStream()
        .filter(field -> !NAMED.contains(field.getKey()))
        .map(
            field ->
                field.getKey().equals("detail")
                    ? Column.plain(field.getValue())
                    : field.getKey() + "=" + Column.plain(field.getValue()))
        .collect(Collectors.joining(" "));
  }
}
