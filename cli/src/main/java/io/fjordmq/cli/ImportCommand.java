package io.fjordmq.cli;

import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Imports exported data, and converts the configuration of other brokers. */
@Command(
    name = "import",
    description = "Import exported data, or convert the configuration of another broker")
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
    return result.isSuccess() ? ExitCode.DONE : ExitCode.FAILED;
  }

  @Command(
      name = "data",
      description = {
        "Import sessions, retained messages and MQTT users from a file that 'export' has written",
        "The cluster keeps serving clients. Existing sessions, messages and users are left"
            + " unchanged and listed, so the command can be repeated. The session expiry intervals"
            + " begin now."
      })
  int data(@Parameters(paramLabel = "FILE", description = "file of JSON lines") Path file) {
    DataImport data = new DataImport(context, file, line -> context.terminal().err().println(line));
    context.terminal().out().println(data.run());
    return ExitCode.DONE;
  }
}
