package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.backup.BackupLocation;
import io.fjordmq.broker.backup.BackupRefusedException;
import io.fjordmq.broker.backup.BackupStatus;
import io.fjordmq.broker.backup.Backups;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Backups of the cluster, which the node that receives the request writes. */
final class BackupResource implements Resource {
  private static final String TAG = "Backup";
  private static final long DEFAULT_RATE = 32 << 20;

  /** Reasons end with what to do, and contain the directory or URL of the request. */
  private static final int MAX_REASON_CHARACTERS = 1_000;

  private final Backups backups;
  private final String node;

  /** The destination of a backup. */
  record BackupRequest(
      @Field(
              value =
                  "Absolute path of a directory on the node that receives the request; the"
                      + " directory must be empty or not exist, and its parent must exist. Or"
                      + " `s3://BUCKET/PREFIX` for object storage, where no object may have this"
                      + " prefix; the node takes the credentials from its environment",
              minLength = 1,
              maxLength = 4_096)
          String directory,
      @Field(
              value =
                  "URL of an S3-compatible service; that of the node's environment, or AWS, if"
                      + " absent",
              minLength = 1,
              maxLength = 1_024)
          @Nullable String s3Endpoint,
      @Field(
              value = "Region of the bucket; that of the node's environment if absent",
              minLength = 1,
              maxLength = 64)
          @Nullable String s3Region,
      @Field(
              value =
                  "Maximum number of bytes to read per second, 0 for no limit; 33,554,432 (32 MiB)"
                      + " if absent",
              min = 0,
              max = 1L << 40)
          @Nullable Long bytesPerSecond) {}

  /** The last backup of a node. */
  record BackupJson(
      @Field("Id of the node that writes the backup") String node,
      @Field("State of the backup; `none` if the node has made none since it started")
          BackupStatus.State state,
      @Field("Directory or URL of the backup") @Nullable String directory,
      @Field("When the backup started") @Nullable Instant startedAt,
      @Field("When the backup ended; absent while it runs") @Nullable Instant finishedAt,
      @Field("Ranges written so far") int rangesDone,
      @Field("Total number of ranges") int rangesTotal,
      @Field("Bytes of keys and values read so far") long bytes,
      @Field("Why the backup failed") @Nullable String problem) {}

  BackupResource(Backups backups, String node) {
    this.backups = backups;
    this.node = node;
  }

  @Override
  public List<Operation> operations() {
    return List.of(show(), start(), cancel());
  }

  private Operation show() {
    return Operation.get("/backup")
        .id("showBackup")
        .tag(TAG)
        .summary("Show the latest backup that this node made")
        .role(Role.VIEWER)
        .ok(BackupJson.class)
        .handler(request -> CompletableFuture.completedFuture(Response.ok(json(backups.status()))));
  }

  private Operation start() {
    return Operation.post("/backup")
        .id("startBackup")
        .tag(TAG)
        .summary("Start a backup of the cluster on this node")
        .description(
            "The node collects the sessions and retained messages of all ranges, and the users,"
                + " rules, bans and settings of the cluster, in one directory on its own disk or in"
                + " object storage. The response does not wait until the backup is complete.")
        .role(Role.ADMINISTRATOR)
        .target(request -> request.body(BackupRequest.class).directory())
        .body(BackupRequest.class)
        .ok(BackupJson.class)
        .conflict("A backup is already running on this node")
        .handler(
            request ->
                translate(start(request.body(BackupRequest.class)))
                    .thenApply(status -> Response.ok(json(status))));
  }

  private CompletableFuture<BackupStatus> start(BackupRequest request) {
    Long rate = request.bytesPerSecond();
    BackupLocation location =
        new BackupLocation(request.directory(), request.s3Endpoint(), request.s3Region());
    return backups.start(location, rate == null ? DEFAULT_RATE : rate);
  }

  private Operation cancel() {
    return Operation.delete("/backup")
        .id("cancelBackup")
        .tag(TAG)
        .summary("Cancel the backup that is running on this node")
        .description("The files of the backup are deleted.")
        .role(Role.ADMINISTRATOR)
        .ok(BackupJson.class)
        .conflict("No backup is running on this node")
        .handler(
            request -> {
              try {
                return CompletableFuture.completedFuture(Response.ok(json(backups.cancel())));
              } catch (BackupRefusedException e) {
                throw asApiException(e);
              }
            });
  }

  private static <T> CompletableFuture<T> translate(CompletableFuture<T> result) {
    return ExpectedFailures.translate(
        result, BackupRefusedException.class, BackupResource::asApiException);
  }

  private static ApiException asApiException(BackupRefusedException refused) {
    String message = String.valueOf(refused.getMessage());
    return switch (refused.kind()) {
      case DIRECTORY ->
          ApiException.badRequest("directory: " + Excerpt.of(message, MAX_REASON_CHARACTERS));
      case CONFLICT -> ApiException.conflict(message);
      case UNAVAILABLE -> ApiException.unavailable(message);
    };
  }

  private BackupJson json(BackupStatus status) {
    return new BackupJson(
        node,
        status.state(),
        status.directory(),
        status.startedAt(),
        status.finishedAt(),
        status.rangesDone(),
        status.rangesTotal(),
        status.bytes(),
        status.problem());
  }
}
