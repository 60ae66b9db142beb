package io.fjordmq.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Checks a configuration file. */
@Command(
    name = "check",
    description = {
      "Check the configuration file and every file it names, without starting a node",
      "Prints all errors; the exit code is 1 if there are any. Choose the file with -c."
    })
final class CheckCommand implements Callable<Integer> {
  private final CommandContext context;

  CheckCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    BrokerProgram program = context.broker();
    BrokerProgram.Result result = program.run("--check", "-c", program.configuration().toString());
    context.terminal().err().print(result.err());
    return result.isSuccess() ? ExitCode.DONE : ExitCode.FAILED;
  }
}
