package io.fjordmq.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Restores a backup as a new cluster. */
@Command(
    name = "restore",
    description = {
      "Restore a backup as a new cluster, at the first start of a node on this host",
      "Checks the backup and the data directory, which must be empty, and writes a request into it."
          + " The next start of the node creates a cluster with a new id from the backup; other"
          + " nodes join it as usual. Run the command as the user that runs the node."
    })
final class RestoreCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(paramLabel = "DIR", description = "directory of the backup")
  private String directory = "";

  RestoreCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    BrokerProgram program = context.broker();
    String backup = Path.of(directory).toAbsolutePath().normalize().toString();
    return context.printed(
        program.run("--restore", backup, "-c", program.configuration().toString()));
  }
}
