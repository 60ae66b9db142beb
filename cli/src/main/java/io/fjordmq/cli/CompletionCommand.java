package io.fjordmq.cli;

import io.fjordmq.cli.output.Terminal;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

@Command(
    name = CompletionCommand.NAME,
    description = "Print a completion script for bash and zsh",
    footer = {"", "Example: source <(bin/fjordmq completion)"})
final class CompletionCommand implements Callable<Integer> {
  static final String NAME = "completion";

  private final CommandLine line;
  private final Terminal terminal;

  CompletionCommand(CommandLine line, Terminal terminal) {
    this.line = line;
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    terminal.out().println(AutoComplete.bash("fjordmq", line));
    return ExitCode.DONE;
  }
}
