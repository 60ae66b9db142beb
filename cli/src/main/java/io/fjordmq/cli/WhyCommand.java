package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The latest events of a client. */
@Command(
    name = "why",
    description = {
      "Show what happened to a client",
      "Lists its latest events on all nodes, such as connects, denials, drops and disconnects, with"
          + " their reasons."
    })
final class WhyCommand implements Callable<Integer> {
  static final List<Column> COLUMNS =
      List.of(
          Column.time("AT", "at", ChronoUnit.MILLIS),
          Column.text("NODE", "node"),
          Column.text("TYPE", "type").ifWide(),
          Column.text("EVENT", "message").whole());

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
}
