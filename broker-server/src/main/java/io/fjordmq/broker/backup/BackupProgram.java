package io.fjordmq.broker.backup;

import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.PrivateDirectory;
import io.fjordmq.cluster.SupportedLevels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The backup commands that need no running node. Blocks. */
public final class BackupProgram {
  private BackupProgram() {}

  /**
   * Describes a backup without checking the checksums of its files.
   *
   * @return lines for people
   * @throws IOException if it is incomplete or cannot be read; the message is for the operator
   */
  public static List<String> show(BackupLocation location) throws IOException {
    try (BackupStorage storage = location.open()) {
      return describe(StoredBackup.open(storage));
    }
  }

  private static List<String> describe(StoredBackup backup) {
    Manifest manifest = backup.manifest();
    List<String> lines = new ArrayList<>();
    lines.add("directory  " + backup.storage().location());
    lines.add("cluster    " + manifest.cluster());
    lines.add("version    " + manifest.version());
    lines.add("level      " + manifest.level());
    lines.add("started    " + manifest.started());
    lines.add("finished   " + manifest.finished());
    lines.add("nodes      " + manifest.nodes().size());
    lines.add("bytes      " + manifest.bytes());
    lines.add("metadata   %d records".formatted(manifest.metadata().rows()));
    for (String store : Manifest.STORES) {
      List<BackupRange> ranges = manifest.ranges(store);
      lines.add(
          "%-10s %d ranges, %d rows, %d bytes"
              .formatted(
                  store,
                  ranges.size(),
                  ranges.stream().mapToLong(range -> range.file().rows()).sum(),
                  ranges.stream().mapToLong(range -> range.file().bytes()).sum()));
    }
    for (BackupRange range : manifest.ranges()) {
      lines.add(
          "  %s  range %s at index %d"
              .formatted(range.file().name(), range.id(), range.appliedIndex()));
    }
    return lines;
  }

  /**
   * Checks all files of a backup.
   *
   * @return what was checked
   * @throws IOException if it is incomplete, damaged or cannot be read
   */
  public static String verify(BackupLocation location) throws IOException {
    try (BackupStorage storage = location.open()) {
      StoredBackup backup = StoredBackup.open(storage);
      backup.verify();
      return "the backup is complete and undamaged: %d ranges, %d bytes"
          .formatted(backup.manifest().ranges().size(), backup.manifest().bytes());
    }
  }

  /**
   * Checks a backup, and lets the first start of a node restore it. A backup in object storage is
   * first copied to the data directory.
   *
   * @param dataDirectory an empty directory, or one that does not exist
   * @return what the operator must do next
   * @throws IOException if the backup is damaged, this version does not support its level, or the
   *     directory is not empty; nothing has been written then
   */
  public static String requestRestore(BackupLocation location, Path dataDirectory)
      throws IOException {
    if (Files.exists(dataDirectory.resolve(NodeIdentity.RESTORE_FILE))) {
      throw new BackupException(
          "the data directory %s already has a restore request; start the node, or empty the directory"
              .formatted(dataDirectory));
    }
    try (BackupStorage storage = location.open()) {
      StoredBackup backup = StoredBackup.open(storage);
      backup.requireSupport(SupportedLevels.ofThisProcess());
      if (!location.isObjectStorage()) {
        backup.verify();
      }
      try (DataDirectory data = DataDirectory.open(dataDirectory)) {
        requireNew(data);
        StoredBackup local = location.isObjectStorage() ? download(backup, data) : backup;
        new RestoreRequest(Path.of(local.storage().location()), local.manifestSha256()).store(data);
      }
      return "the first start of this node restores the backup %s as a new cluster, regardless of bootstrap and expectNodes; start it now"
          .formatted(storage.location());
    }
  }

  private static void requireNew(DataDirectory data) throws IOException {
    if (NodeIdentity.load(data).isPresent()) {
      throw new BackupException(
          "the data directory %s belongs to a node; a backup is restored into an empty one"
              .formatted(data.path()));
    }
  }

  private static StoredBackup download(StoredBackup backup, DataDirectory data) throws IOException {
    Path target = data.resolve(NodeIdentity.RESTORE_FOLDER);
    if (!Files.isDirectory(target)) {
      PrivateDirectory.create(target);
    }
    return new BackupDownload(backup, target).run();
  }
}
