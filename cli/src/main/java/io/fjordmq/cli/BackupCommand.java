package io.fjordmq.cli;

import io.fjordmq.cli.api.ApiFailure;
import io.fjordmq.cli.api.ApiFailure.Kind;
import io.fjordmq.cli.api.ApiPath;
import io.fjordmq.cli.api.ApiReply;
import io.fjordmq.cli.api.Json;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Backups of the cluster. */
@Command(
    name = "backup",
    description = {
      "Back up the cluster to a directory on the disk of a node, or to S3-compatible storage",
      "One node collects the sessions, queues, retained messages, users, rules, bans and settings"
          + " of the whole cluster, while all nodes serve clients. The command waits until the"
          + " backup is complete. After Ctrl-C, the backup continues; see 'backup status' and"
          + " 'backup cancel'. For s3:// URLs, the node takes the credentials from its own"
          + " environment."
    })
final class BackupCommand implements Callable<Integer> {
  private static final ApiPath PATH = ApiPath.of("backup");
  private static final long MIB = 1 << 20;
  private static final String WHICH = "directory of the backup, or s3://BUCKET/PREFIX";

  private final CommandContext context;

  @Parameters(
      arity = "0..1",
      paramLabel = BackupTarget.LABEL,
      description =
          "directory on the node, empty or new; relative paths only for a node on this host."
              + " Or s3://BUCKET/PREFIX, where nothing has this prefix yet")
  private @Nullable String target;

  @Option(
      names = "--rate",
      paramLabel = "MIB",
      description = "MiB to read per second, 0 for no limit (default: 32)")
  private long rate = 32;

  @Mixin private final BackupTarget storage = new BackupTarget();
  @Mixin private final JsonOption json = new JsonOption();

  BackupCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    String destination = target;
    if (destination == null) {
      throw new UsageException(BackupTarget.LABEL + " is missing");
    }
    if (rate < 0 || rate > MIB) {
      throw new UsageException("--rate must be between 0 and 1048576: " + rate);
    }
    ObjectNode body =
        Json.object()
            .put("directory", context.isLocal() ? BackupTarget.absolute(destination) : destination)
            .put("bytes_per_second", rate * MIB);
    storage.addTo(body, destination);
    String node = context.api().post(PATH, body).json().path("node").asString("");
    ApiReply reply = context.api().get(PATH);
    while (isRunning(reply.json())) {
      if (!context.awaitSecond()) {
        return ExitCode.FAILED;
      }
      reply = context.api().get(PATH);
      requireSameNode(node, reply.json());
    }
    requireDone(reply.json());
    return context.done(reply, json, summary(reply.json()));
  }

  private static boolean isRunning(JsonNode backup) {
    return state(backup).equals("running");
  }

  private static String state(JsonNode backup) {
    return backup.path("state").asString("");
  }

  /** A load balancer could pass the requests to different nodes. */
  private static void requireSameNode(String node, JsonNode backup) {
    String other = backup.path("node").asString("");
    if (!other.equals(node)) {
      throw new ApiFailure(
          Kind.REJECTED,
          "node %s writes the backup, but node %s has responded; use the URL of node %s for 'backup status'"
              .formatted(node, other, node));
    }
  }

  private static void requireDone(JsonNode backup) {
    if (!state(backup).equals("done")) {
      throw new ApiFailure(
          Kind.REJECTED,
          "the backup %s: %s"
              .formatted(
                  state(backup).equals("failed") ? "failed" : "did not finish",
                  backup.path("problem").asString(state(backup))));
    }
  }

  private static String summary(JsonNode backup) {
    return "backup complete: %d ranges, %d bytes of rows, in %s on node %s"
        .formatted(
            backup.path("ranges_done").asLong(0),
            backup.path("bytes").asLong(0),
            backup.path("directory").asString(""),
            backup.path("node").asString(""));
  }

  @Command(name = "status", description = "Show the latest backup that the node made")
  int status(@Mixin JsonOption option) {
    return context.show(context.api().get(PATH), option);
  }

  @Command(
      name = "cancel",
      description = "Cancel the backup that is running on the node, and delete its files")
  int cancel(@Mixin JsonOption option) {
    return context.done(context.api().delete(PATH), option, "backup canceled");
  }

  @Command(
      name = "verify",
      description = {
        "Check that a backup on this host or in object storage is complete and undamaged",
        "Reads all files and compares their checksums. Does not need a running node."
      })
  int verify(
      @Parameters(paramLabel = BackupTarget.LABEL, description = WHICH) String backup,
      @Mixin BackupTarget where) {
    return run("--verify-backup", backup, where);
  }

  @Command(
      name = "show",
      description = {
        "Describe a backup on this host or in object storage",
        "Does not need a running node."
      })
  int show(
      @Parameters(paramLabel = BackupTarget.LABEL, description = WHICH) String backup,
      @Mixin BackupTarget where) {
    return run("--show-backup", backup, where);
  }

  private int run(String task, String backup, BackupTarget where) {
    return context.printed(
        context.broker().run(where.environment(backup), task, BackupTarget.absolute(backup)));
  }
}
