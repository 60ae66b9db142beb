package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.output.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Changes made through the API. */
@Command(name = "audit", description = "List changes made through the API")
final class AuditCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.time("AT", "created_at"),
          Column.text("NODE", "node").ifWide(),
          Column.text("BY", "source"),
          Column.text("KIND", "from").ifWide(),
          Column.text("ADDRESS", "source_ip"),
          Column.text("OPERATION", "operation_id"),
          Column.text("TARGET", "target"),
          Column.text("RESULT", "operation_result"),
          Column.number("STATUS", "http_status_code").ifWide());

  private final CommandContext context;

  AuditCommand(CommandContext context) {
    this.context = context;
  }

  @Command(name = "list", description = "List the changes, newest first")
  int list(
      @Mixin ListOptions list,
      @Option(names = "--source", paramLabel = "NAME", description = "exact user or API key")
          @Nullable String source,
      @Option(names = "--source-ip", paramLabel = "ADDRESS", description = "exact IP address")
          @Nullable String address,
      @Option(
              names = "--operation-id",
              paramLabel = "ID",
              description = "exact operation, such as kickClient")
          @Nullable String operation,
      @Option(
              names = "--operation-result",
              paramLabel = "RESULT",
              description = "success or failure")
          @Nullable String result) {
    return context.list(
        Listing.paged(
            ApiPath.of("audit")
                .with("source", source)
                .with("source_ip", address)
                .with("operation_id", operation)
                .with("operation_result", result),
            COLUMNS),
        list);
  }
}
