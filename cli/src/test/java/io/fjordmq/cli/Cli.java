package io.fjordmq.cli;

import io.fjordmq.cli.output.Terminal;
import io.fjordmq.cli.output.Terminal.PasswordPrompt;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs commands in this process. */
final class Cli {
  static final Instant NOW = Instant.parse("2026-11-26T12:00:00.5Z");

  private final Map<String, String> environment = new HashMap<>();
  private int width;
  private boolean isInteractive;
  private String input = "";
  private @Nullable Path directory;
  private @Nullable PasswordPrompt passwords;
  private CommandEnvironment.Pause pause = seconds -> false;

  /**
   * The result of a command.
   *
   * @param code the exit code
   * @param out what it printed to standard output
   * @param err what it printed to standard error
   */
  record Result(int code, String out, String err) {}

  /** Uses a node that needs an API key. */
  static Cli of(FakeApi api) {
    return new Cli()
        .env("FJORDMQ_API_URL", api.url())
        .env("FJORDMQ_API_KEY", "key")
        .env("FJORDMQ_API_SECRET", "secret");
  }

  Cli env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Standard output is a terminal. */
  Cli terminal(int columns) {
    width = columns;
    return this;
  }

  /** Standard input is a terminal, on which the user types a text. */
  Cli typing(String text) {
    isInteractive = true;
    input = text;
    return this;
  }

  /** Standard input is a pipe. */
  Cli piping(String text) {
    input = text;
    return this;
  }

  Cli directory(Path data) {
    directory = data;
    return this;
  }

  Cli passwords(PasswordPrompt prompt) {
    passwords = prompt;
    return this;
  }

  Cli pause(CommandEnvironment.Pause value) {
    pause = value;
    return this;
  }

  Result run(String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Terminal terminal =
        new Terminal(
            new PrintWriter(out),
            new PrintWriter(err),
            width,
            new BufferedReader(new StringReader(input)),
            isInteractive,
            passwords);
    CommandEnvironment host =
        new CommandEnvironment(environment, directory, terminal, InstantSource.fixed(NOW), pause);
    int code = Main.run(host, words);
    return new Result(code, out.toString(), err.toString());
  }

  /** Runs a command whose words are separated by blanks; {@code ''} is an empty word. */
  Result line(String words) {
    return run(
        Stream.of(words.split(" "))
            .map(word -> word.equals("''") ? "" : word)
            .toArray(String[]::new));
  }
}
