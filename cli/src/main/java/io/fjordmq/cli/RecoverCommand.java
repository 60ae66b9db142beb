package io.fjordmq.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Recovers a stopped node whose cluster, or one of whose ranges, has lost its majority. */
@Command(
    name = "recover",
    description = {
      "Recover a stopped node after the permanent loss of a majority",
      "Without --confirm, shows which data of each range the node on this host has, and changes"
          + " nothing. With --confirm, makes the node the only member of a new cluster with a new"
          + " id, which has all data of the node; ranges of which it has no data become empty. With"
          + " --range, makes the node the only voter of one range in its existing cluster. Data"
          + " that only the lost nodes had is lost. Run the command as the user that runs the node."
    })
final class RecoverCommand implements Callable<Integer> {
  private static final String RANGE = "(dist|inbox|retain)-[0-9]{1,18}";

  private final CommandContext context;

  @Option(
      names = "--range",
      paramLabel = "RANGE",
      description = "recover only this range, for example inbox-7; the cluster stays the same")
  private @Nullable String range;

  @Option(
      names = "--confirm",
      description = "change the node; the other nodes must be permanently lost")
  private boolean isConfirmed;

  RecoverCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    String one = range;
    if (one != null && !one.matches(RANGE)) {
      throw new UsageException("--range must be a range such as inbox-7, not '" + one + "'");
    }
    BrokerProgram program = context.broker();
    String what = !isConfirmed ? "show" : one == null ? "cluster" : one;
    int code =
        context.printed(
            program.runWithData("--recover", what, "-c", program.configuration().toString()));
    if (code == ExitCode.DONE && !isConfirmed) {
      context
          .terminal()
          .err()
          .println(
              "nothing was changed; if the other nodes are permanently lost, add --confirm to"
                  + (one == null ? " recover the node" : " recover range " + one));
    }
    return code;
  }
}
