package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiClient;
import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.ListReader;
import io.fjordmq.cli.output.Fields;
import io.fjordmq.cli.output.Table;
import io.fjordmq.cli.output.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What all commands have in common: the API, and the ways to print its responses. */
final class CommandContext {
  /** A part of the output of a command. */
  @FunctionalInterface
  interface Output {
    /**
     * Prints the output.
     *
     * @param out receives the result
     * @param notes receives messages that are not part of the result
     */
    void print(PrintWriter out, Consumer<String> notes);
  }

  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

  private final CommandEnvironment host;
  private final AccessOptions access;
  private @Nullable ApiClient client;

  CommandContext(CommandEnvironment host, AccessOptions access) {
    this.host = host;
    this.access = access;
  }

  /**
   * Returns the client of the API.
   *
   * @throws UsageException if the options for access are invalid
   * @throws ApiFailure if the node on this host is not running
   */
  ApiClient api() {
    if (client == null) {
      client = new ApiClient(access.resolve(host));
    }
    return client;
  }

  /** Whether the options choose a node on this host. */
  boolean isLocal() {
    return access.isLocal(host);
  }

  /**
   * Returns the broker on this host.
   *
   * @throws UsageException if the script did not start this process
   */
  BrokerProgram broker() {
    return BrokerProgram.find(access.directory);
  }

  Terminal terminal() {
    return host.terminal();
  }

  /** Waits for some seconds; returns whether to continue. */
  boolean pause(int seconds) {
    return host.pause().await(seconds);
  }

  Instant now() {
    return host.clock().instant();
  }

  /** Waits for a second; returns whether to continue. */
  boolean awaitSecond() {
    return host.pause().await(1);
  }

  /** Prints a list as a table or as JSON; returns the exit code. */
  int list(Listing listing, ListOptions options) {
    int max = options.maxElements(terminal().isOutput());
    return repeat(
        options.watch,
        (out, notes) -> {
          if (options.isJson) {
            warn(printArray(reader(listing), max, out), notes);
          } else {
            print(listing, max, out, notes);
          }
        });
  }

  /** Prints a list as a table. */
  void print(Listing listing, int max, PrintWriter out, Consumer<String> notes) {
    Table table = new Table(listing.columns(), terminal().width(), out);
    ListReader.Result result =
        reader(listing)
            .read(
                max,
                page -> {
                  table.print(page);
                  requireReader(out);
                });
    warn(result, notes);
    noteTruncation(result, notes);
  }

  private ListReader reader(Listing listing) {
    return new ListReader(api(), listing.path(), listing.isPaged());
  }

  /** Ends a command whose output is no longer read. */
  private static void requireReader(PrintWriter out) {
    if (out.checkError()) {
      throw new UncheckedIOException(new IOException("cannot write to standard output"));
    }
  }

  /** Prints an object with all its fields, or its JSON; returns the exit code. */
  int show(ApiReply reply, JsonOption json) {
    PrintWriter out = terminal().out();
    if (json.isJson) {
      out.println(reply.text());
    } else {
      Fields.print(reply.json(), terminal().isOutput(), out);
    }
    return ExitCode.DONE;
  }

  /** Prints what the broker on this host has printed; returns the exit code. */
  int printed(BrokerProgram.Result result) {
    terminal().out().print(result.out());
    terminal().err().print(result.err());
    return result.isSuccess() ? ExitCode.DONE : ExitCode.FAILED;
  }

  /** Prints the message of a response, or its JSON if it has any; returns the exit code. */
  int done(ApiReply reply, JsonOption json, String message) {
    if (!json.isJson) {
      terminal().line(reply.json().path("message").asString(message));
    } else if (!reply.text().isEmpty()) {
      terminal().out().println(reply.text());
    }
    return ExitCode.DONE;
  }

  /**
   * Asks whether to destroy something; returns whether to continue.
   *
   * @throws UsageException if there is no terminal for the question
   */
  boolean confirm(YesOption yes, String question) {
    if (yes.isConfirmed) {
      return true;
    }
    if (!terminal().isInteractive()) {
      throw new UsageException("confirmation required, but there is no terminal; add --yes");
    }
    try {
      boolean confirmed = terminal().confirm(question);
      if (!confirmed) {
        terminal().message("canceled");
      }
      return confirmed;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Prints once or repeatedly; returns the exit code. */
  int repeat(WatchOption watch, Output output) {
    int seconds = watch.interval();
    if (seconds == 0) {
      output.print(terminal().out(), terminal()::message);
      return ExitCode.DONE;
    }
    boolean isFirst = true;
    do {
      StringWriter text = new StringWriter();
      List<String> notes = new ArrayList<>();
      try {
        output.print(new PrintWriter(text), notes::add);
      } catch (ApiFailure failure) {
        if (isFirst) {
          throw failure;
        }
        notes.add(String.valueOf(failure.getMessage())); // the node may come back
      }
      if (terminal().isOutput()) {
        terminal().out().print(CLEAR_SCREEN);
        terminal().out().println(now().truncatedTo(ChronoUnit.SECONDS));
      }
      terminal().out().print(text);
      notes.forEach(terminal()::message);
      isFirst = false;
    } while (!terminal().out().checkError() && host.pause().await(seconds));
    return ExitCode.DONE;
  }

  private static ListReader.Result printArray(ListReader reader, int max, PrintWriter out) {
    Separator separator = new Separator();
    ListReader.Result result =
        reader.read(
            max,
            page -> {
              for (JsonNode element : page) {
                out.print(separator.next());
                out.print(element);
              }
              requireReader(out);
            });
    out.println(result.count() == 0 ? "[]" : "]");
    return result;
  }

  /** What precedes an element of an array. */
  private static final class Separator {
    private String text = "[";

    String next() {
      String current = text;
      text = ",";
      return current;
    }
  }

  private static void warn(ListReader.Result result, Consumer<String> notes) {
    if (!result.problems().isEmpty()) {
      notes.accept("warning: the list is incomplete: " + String.join("; ", result.problems()));
    }
  }

  private static void noteTruncation(ListReader.Result result, Consumer<String> notes) {
    if (result.hasMore()) {
      notes.accept(
          "%s; use --limit to show more, --limit 0 to show all"
              .formatted(
                  result.total() > result.count()
                      ? "showing %,d of %,d".formatted(result.count(), result.total())
                      : "showing the first %,d".formatted(result.count())));
    }
  }
}
