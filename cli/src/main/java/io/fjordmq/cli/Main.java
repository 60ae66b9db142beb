package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiFailure.Kind;
import io.fjordmq.cli.output.Terminal;
import io.fjordmq.cli.output.Terminal.PasswordPrompt;
import java.io.BufferedReader;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line client of the REST API; started by {@code bin/fjordmq}, which sets these system
 * properties:
 *
 * <ul>
 *   <li>{@code fjordmq.dataDirectory}: the data directory of the node on this host; absent if
 *       another node is used
 *   <li>{@code fjordmq.terminal.width}: the width of the terminal; absent if standard output is
 *       none
 *   <li>{@code fjordmq.terminal.input}: present if standard input is a terminal
 * </ul>
 */
@Command(
    name = "fjordmq",
    description = "Administers FjordMQ nodes and clusters.",
    synopsisSubcommandLabel = "COMMAND")
public final class Main {
  @Mixin private final AccessOptions access = new AccessOptions();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "print this help")
  boolean isHelp; // picocli prints the help

  private Main() {}

  /** Runs a command and exits. */
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // output must not depend on the locale
    String directory = System.getProperty("fjordmq.dataDirectory");
    Console console = System.console();
    Terminal terminal =
        new Terminal(
            writer(FileDescriptor.out),
            writer(FileDescriptor.err),
            Integer.getInteger("fjordmq.terminal.width", 0),
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
            System.getProperty("fjordmq.terminal.input") != null,
            console == null ? null : PasswordPrompt.of(console));
    CommandEnvironment host =
        new CommandEnvironment(
            System.getenv(),
            directory == null ? null : Path.of(directory),
            terminal,
            InstantSource.system(),
            Main::pause);
    System.exit(run(host, args));
  }

  private static PrintWriter writer(FileDescriptor descriptor) {
    return new PrintWriter(
        new OutputStreamWriter(new FileOutputStream(descriptor), StandardCharsets.UTF_8));
  }

  private static boolean pause(int seconds) {
    try {
      return !new CountDownLatch(1).await(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Runs a command; returns the exit code. */
  static int run(CommandEnvironment host, String... args) {
    int code = commandLine(host, List.of(args)).execute(args);
    host.terminal().out().flush();
    host.terminal().err().flush();
    return code;
  }

  /**
   * Returns the commands for a command line.
   *
   * @param words the command line; empty for all commands
   */
  static CommandLine commandLine(CommandEnvironment host, List<String> words) {
    Main main = new Main();
    CommandLine line = new CommandLine(main);
    TopLevelCommands.of(new CommandContext(host, main.access), line)
        .among(words)
        .forEach(line::addSubcommand);
    line.setOut(host.terminal().out())
        .setErr(host.terminal().err())
        .registerConverter(Role.class, Role::parse)
        .registerConverter(BanKind.class, BanKind::parse)
        .registerConverter(ImportSource.Format.class, word -> word(ImportSource.Format.class, word))
        .registerConverter(RuleOwner.Kind.class, word -> word(RuleOwner.Kind.class, word))
        .registerConverter(
            MqttRulesCommand.Permission.class,
            word -> word(MqttRulesCommand.Permission.class, word))
        .registerConverter(
            MqttRulesCommand.Action.class, word -> word(MqttRulesCommand.Action.class, word))
        .setPosixClusteredShortOptionsAllowed(false)
        .setExpandAtFiles(false) // a client identifier may begin with @
        .setParameterExceptionHandler((error, rejected) -> reject(error, host.terminal()))
        .setExecutionExceptionHandler(
            (error, command, parsed) -> fail(error, command, host.terminal()));
    HelpLayout.apply(line);
    return line;
  }

  /** Returns the constant that a word of the command line names. */
  private static <E extends Enum<E>> E word(Class<E> type, String word) {
    return Stream.of(type.getEnumConstants())
        .filter(constant -> constant.toString().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "must be one of %s, not '%s'"
                        .formatted(
                            Stream.of(type.getEnumConstants())
                                .map(Enum::toString)
                                .collect(Collectors.joining(", ")),
                            word)));
  }

  private static int reject(ParameterException error, Terminal terminal) {
    terminal.message(
        "%s; see '%s --help'"
            .formatted(problem(error), error.getCommandLine().getCommandSpec().qualifiedName()));
    return ExitCode.USAGE;
  }

  private static String problem(ParameterException error) {
    CommandSpec command = error.getCommandLine().getCommandSpec();
    if (error instanceof UnmatchedArgumentException unmatched) {
      String word = unmatched.getUnmatched().get(0);
      String kind =
          unmatched.isUnknownOption()
              ? "unknown option"
              : command.subcommands().isEmpty() ? "unexpected argument" : "unknown command";
      return kind + " '" + word + "'" + suggestion(unmatched, command);
    }
    if (error.getClass() == ParameterException.class && !command.subcommands().isEmpty()) {
      return "command missing; the commands are "
          + String.join(", ", command.subcommands().keySet());
    }
    String message = String.valueOf(error.getMessage());
    return message.isEmpty()
        ? "invalid command line"
        : Character.toLowerCase(message.charAt(0)) + message.substring(1);
  }

  private static String suggestion(UnmatchedArgumentException unmatched, CommandSpec command) {
    @Nullable String nearest = unmatched.getSuggestions().stream().findFirst().orElse(null);
    if (nearest != null) {
      String name = nearest.substring(nearest.lastIndexOf(' ') + 1);
      return "; did you mean '" + name + "'?";
    }
    return command.subcommands().isEmpty()
        ? ""
        : "; the commands are " + String.join(", ", command.subcommands().keySet());
  }

  private static int fail(Exception error, CommandLine command, Terminal terminal) {
    if (error instanceof UsageException) {
      terminal.message(
          "%s; see '%s --help'"
              .formatted(error.getMessage(), command.getCommandSpec().qualifiedName()));
      return ExitCode.USAGE;
    }
    if (error instanceof ApiFailure failure) {
      terminal.message(String.valueOf(failure.getMessage()));
      return failure.kind() == Kind.UNREACHABLE ? ExitCode.UNREACHABLE : ExitCode.FAILED;
    }
    if (error instanceof UncheckedIOException io && io.getCause() != null) {
      terminal.message(String.valueOf(io.getCause().getMessage()));
      return ExitCode.FAILED;
    }
    terminal.message("internal error: " + error + "; please report it");
    return ExitCode.FAILED;
  }
}
