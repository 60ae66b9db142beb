package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiFailure.Kind;
import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.api.ListReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Exports sessions, retained messages and MQTT users as JSON lines. */
@Command(
    name = "export",
    description = {
      "Export sessions, retained messages and MQTT users to a file of JSON lines",
      "The cluster keeps serving clients. The file has one JSON object per line; 'import data'"
          + " reads it. It contains messages and password hashes. Queued messages, wills and rules"
          + " are not exported; use 'backup' for a complete copy."
    })
final class ExportCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(paramLabel = "FILE", description = "file to create, readable only by its owner")
  private Path file = Path.of("");

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "KIND",
      description = "kinds to export: ${COMPLETION-CANDIDATES} (default: all)")
  private List<DataKind> kinds = List.of(DataKind.values());

  @Option(
      names = "--tenant",
      paramLabel = "TENANT",
      description =
          "only this tenant (default: sessions and users of all tenants, but retained messages only"
              + " of clients without a tenant)")
  private @Nullable String tenant;

  ExportCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    ObjectNode end = Json.object().put(DataKind.TYPE, DataKind.END);
    try (BufferedWriter out = create(file)) {
      write(
          out,
          Json.object()
              .put(DataKind.TYPE, DataKind.HEADER)
              .put("format", DataKind.FORMAT)
              .put("exported_at", context.now().toString()));
      for (DataKind kind : DataKind.values()) {
        if (kinds.contains(kind)) {
          end.put(kind.toString(), export(kind, out));
        }
      }
      write(out, end);
    } catch (FileAlreadyExistsException e) {
      throw new ApiFailure(Kind.INVALID, file + " exists; name a new file");
    } catch (IOException e) {
      throw new ApiFailure(Kind.REJECTED, "cannot write to " + file + ": " + e.getMessage());
    }
    context.terminal().out().println("exported to " + file + ": " + DataKind.counts(end));
    return ExitCode.DONE;
  }

  private int export(DataKind kind, BufferedWriter out) {
    ListReader reader =
        new ListReader(
            context.api(), ApiPath.of("export", kind.path()).with("tenant", tenant), false);
    ListReader.Result result =
        reader.read(
            Integer.MAX_VALUE,
            page -> {
              for (JsonNode element : page) {
                ObjectNode line = Json.object().put(DataKind.TYPE, kind.element());
                line.setAll((ObjectNode) element);
                writeUnchecked(out, line);
              }
            });
    if (!result.problems().isEmpty()) {
      throw new ApiFailure(
          Kind.REJECTED, "the export is incomplete: " + String.join("; ", result.problems()));
    }
    return result.count();
  }

  private static BufferedWriter create(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return new BufferedWriter(Channels.newWriter(channel, StandardCharsets.UTF_8));
  }

  private static void write(BufferedWriter out, JsonNode line) throws IOException {
    out.write(line.toString());
    out.write('\n');
  }

  private void writeUnchecked(BufferedWriter out, JsonNode line) {
    try {
      write(out, line);
    } catch (IOException e) {
      throw new ApiFailure(Kind.REJECTED, "cannot write to " + file + ": " + e.getMessage());
    }
  }
}
