package io.fjordmq.broker.backup;

import io.fjordmq.cluster.AtomicFile;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * An operator's request to restore a backup at the first start of a node, as a file in its data
 * directory. The file is deleted when the cluster has been created.
 *
 * <pre>
 * fjordmq restore request, format 1
 * sha256 CHECKSUM                       of the manifest
 * backup DIRECTORY                      to the end of the file, without the last \n
 * </pre>
 *
 * @param backup the directory of the backup
 * @param manifestSha256 checksum of its manifest when the request was made
 */
record RestoreRequest(Path backup, String manifestSha256) {
  private static final String FORMAT = "fjordmq restore request, format 1\n";
  private static final String CHECKSUM = "sha256 ";
  private static final String BACKUP = "backup ";

  private static Path file(DataDirectory directory) {
    return directory.resolve(NodeIdentity.RESTORE_FILE);
  }

  /**
   * Reads the request.
   *
   * @throws BackupException if it is malformed
   */
  static Optional<RestoreRequest> load(DataDirectory directory) throws IOException {
    Path file = file(directory);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    String text = Files.readString(file);
    List<String> lines =
        text.startsWith(FORMAT)
            ? List.of(text.substring(FORMAT.length()).split("\n", 2))
            : List.of();
    if (lines.size() == 2
        && lines.get(0).startsWith(CHECKSUM)
        && lines.get(1).startsWith(BACKUP)
        && text.endsWith("\n")) {
      String path = lines.get(1).substring(BACKUP.length(), lines.get(1).length() - 1);
      try {
        return Optional.of(
            new RestoreRequest(Path.of(path), lines.get(0).substring(CHECKSUM.length())));
      } catch (InvalidPathException e) {
        throw new BackupException("invalid directory in " + file, e);
      }
    }
    throw new BackupException(
        "cannot read the restore request %s; delete it and run 'fjordmq restore' again"
            .formatted(file));
  }

  /** Stores the request durably. */
  void store(DataDirectory directory) throws IOException {
    String text = FORMAT + CHECKSUM + manifestSha256 + "\n" + BACKUP + backup + "\n";
    AtomicFile.replace(file(directory), text.getBytes(StandardCharsets.UTF_8));
  }

  static void delete(DataDirectory directory) throws IOException {
    Files.deleteIfExists(file(directory));
  }
}
