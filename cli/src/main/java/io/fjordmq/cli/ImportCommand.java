package io.fjordmq.cli;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Converts the configuration of other brokers. */
@Command(name = "import", description = "Convert the configuration of another broker")
final class ImportCommand {
  private final CommandContext context;

  ImportCommand(CommandContext context) {
    this.context = context;
  }

  @Command(
      name = "mosquitto",
      description = {
        "Convert a mosquitto.conf and print the result",
        "Standard error and the comments of the file say what could not be carried over, and why."
      })
  int mosquitto(
      @Parameters(paramLabel = "FILE", description = "mosquitto.conf, with its include_dir")
          Path file) {
    BrokerProgram.Result result =
        context.broker().run("--import-mosquitto", file.toAbsolutePath().toString());
    context.terminal().out().print(result.out());
    context.terminal().out().flush();
    context.terminal().err().print(result.err());
    return result.isSuccess() ? Main.DONE : Main.FAILED;
  }
}
