package io.fjordmq.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Restores a backup as a new cluster. */
@Command(
    name = "restore",
    description = {
      "Restore a backup as a new cluster, at the first start of a node on this host",
      "Checks the backup and the data directory, which must be empty, and writes a request into it."
          + " The next start of the node creates a cluster with a new id from the backup; other"
          + " nodes join it as usual. A backup in object storage is first copied to the data"
          + " directory; if this is interrupted, run the command again. Run the command as the"
          + " user that runs the node."
    })
final class RestoreCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(
      paramLabel = BackupTarget.LABEL,
      description = "directory of the backup, or s3://BUCKET/PREFIX")
  private String backup = "";

  @Mixin private final BackupTarget target = new BackupTarget();

  RestoreCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    BrokerProgram program = context.broker();
    return context.printed(
        program.run(
            target.environment(backup),
            "--restore",
            BackupTarget.absolute(backup),
            "-c",
            program.configuration().toString()));
  }
}
