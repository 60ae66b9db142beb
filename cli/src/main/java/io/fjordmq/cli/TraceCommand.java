package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.output.Column;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** The commands about traces. */
@Command(name = "trace", description = "Trace the packets and decisions of clients or topics")
final class TraceCommand {
  static final List<Column> COLUMNS =
      List.of(
          Column.text("NAME", "name"),
          Column.text("TYPE", "type"),
          Column.computed("VALUE", trace -> trace.path(typeOf(trace)).asString("")),
          Column.text("TENANT", "tenant").optional(),
          Column.text("STATUS", "status"),
          Column.text("PAYLOAD", "payload_encode").ifWide(),
          Column.time("START", "start_at").ifWide(),
          Column.time("END", "end_at"),
          Column.text("BY", "by").ifWide(),
          Column.computed("BYTES", TraceCommand::totalBytes),
          Column.computed("PROBLEM", TraceCommand::problems).optional());

  static final String TRACE = "trace";
  private static final String NAME = "NAME";
  private static final String WHICH = "name of the trace";

  private final CommandContext context;

  TraceCommand(CommandContext context) {
    this.context = context;
  }

  private static String typeOf(JsonNode trace) {
    return trace.path("type").asString("");
  }

  private static String totalBytes(JsonNode trace) {
    long bytes = trace.path("log_size").valueStream().mapToLong(size -> size.asLong(0)).sum();
    return Long.toString(bytes);
  }

  /** The nodes that do not write lines, and why. */
  private static String problems(JsonNode trace) {
    return trace.path("log_problems").properties().stream()
        .map(problem -> "node " + problem.getKey() + ": " + problem.getValue().asString(""))
        .collect(Collectors.joining("; "));
  }

  @Command(name = "list", description = "List the traces, newest first")
  int list(@Mixin ListOptions list) {
    return context.list(Listing.whole(ApiPath.of(TRACE), COLUMNS), list);
  }

  @Command(
      name = "start",
      description = {
        "Start a trace on all nodes",
        "Writes the packets and decisions of a client, an address or a topic filter to files."
      })
  int start(@Mixin TraceOptions options, @Mixin JsonOption json) {
    ApiReply reply = context.api().post(ApiPath.of(TRACE), options.toRequest(context.now()));
    String name = reply.json().path("name").asString("");
    return context.done(
        reply,
        json,
        "trace '%s' runs until %s; read it with: fjordmq trace follow %s"
            .formatted(name, reply.json().path("end_at").asString(""), name));
  }

  @Command(name = "stop", description = "Stop a trace; its files remain")
  int stop(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Mixin TraceTenantOption tenant,
      @Mixin JsonOption json) {
    return context.done(
        context.api().put(tenant.applyTo(ApiPath.of(TRACE, name, "stop")), Json.object()),
        json,
        "trace '" + name + "' stopped");
  }

  @Command(name = "delete", description = "Delete a trace and its files")
  int delete(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Mixin TraceTenantOption tenant,
      @Mixin YesOption yes,
      @Mixin JsonOption json) {
    if (!context.confirm(yes, "Delete trace '" + name + "' and its files on all nodes?")) {
      return ExitCode.DONE;
    }
    return context.done(
        context.api().delete(tenant.applyTo(ApiPath.of(TRACE, name))),
        json,
        "trace '" + name + "' deleted");
  }

  @Command(
      name = "download",
      description = "Print the trace lines of all nodes so far, sorted by time")
  int download(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Option(
              names = "--out",
              paramLabel = "FILE",
              description = "write to this new file, which only you can read")
          @Nullable Path file,
      @Mixin TraceTenantOption tenant) {
    TraceLog log = new TraceLog(context.api(), name, tenant);
    if (file == null) {
      printToTerminal(log);
    } else {
      long lines = write(log, file);
      context
          .terminal()
          .message("%,d %s written to %s".formatted(lines, lines == 1 ? "line" : "lines", file));
    }
    return ExitCode.DONE;
  }

  private static long write(TraceLog log, Path file) {
    try (PrintWriter out =
        new PrintWriter(
            Channels.newWriter(
                Files.newByteChannel(
                    file,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(
                        PosixFilePermissions.fromString("rw-------"))),
                StandardCharsets.UTF_8))) {
      long lines = print(log, out::println);
      if (out.checkError()) {
        throw new UncheckedIOException(new IOException("cannot write to " + file));
      }
      return lines;
    } catch (FileAlreadyExistsException e) {
      throw new UsageException("--out: " + file + " exists; choose another file");
    } catch (IOException e) {
      throw new UsageException("--out: cannot create " + file + ": " + e);
    }
  }

  private long printToTerminal(TraceLog log) {
    return print(log, context.terminal()::line);
  }

  private static long print(TraceLog log, Consumer<String> out) {
    long lines = 0;
    for (String line = log.next(); line != null; line = log.next()) {
      out.accept(line);
      lines++;
    }
    return lines;
  }

  @Command(name = "follow", description = "Print a trace and follow it until it ends")
  int follow(
      @Parameters(paramLabel = NAME, description = WHICH) String name,
      @Mixin TraceTenantOption tenant) {
    TraceLog log = new TraceLog(context.api(), name, tenant);
    PrintWriter out = context.terminal().out();
    do {
      printToTerminal(log);
      out.flush();
    } while (!log.isComplete() && !out.checkError() && context.awaitSecond());
    return ExitCode.DONE;
  }
}
