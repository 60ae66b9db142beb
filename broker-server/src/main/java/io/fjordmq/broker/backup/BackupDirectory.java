package io.fjordmq.broker.backup;

import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.range.store.RowFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A complete backup: its manifest and the files that the manifest lists. Blocks on the disk.
 *
 * @param path the directory
 * @param manifestSha256 checksum of the manifest, which contains those of all other files
 */
record BackupDirectory(Path path, Manifest manifest, String manifestSha256) {
  static final String MANIFEST = "MANIFEST";
  private static final long MAX_MANIFEST_BYTES = 64 << 20;

  /**
   * Opens a backup and checks that all files exist and have the right size.
   *
   * @throws BackupException if it is incomplete, damaged, or written by a newer version
   */
  static BackupDirectory open(Path directory) throws IOException {
    Path path = directory.toAbsolutePath().normalize();
    Path file = path.resolve(MANIFEST);
    if (!Files.isDirectory(path)) {
      throw new BackupException("there is no backup in " + path + ": not a directory");
    }
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new BackupException(
          "the backup in %s is incomplete: it has no file %s, which is written last"
              .formatted(path, MANIFEST));
    }
    if (Files.size(file) > MAX_MANIFEST_BYTES) {
      throw new BackupException(file + " is too large for a manifest");
    }
    byte[] bytes = Files.readAllBytes(file);
    BackupDirectory backup =
        new BackupDirectory(
            path, ManifestText.parse(new String(bytes, StandardCharsets.UTF_8)), Sha256.of(bytes));
    for (BackupFile listed : backup.files()) {
      backup.requireSize(listed);
    }
    return backup;
  }

  private void requireSize(BackupFile file) throws IOException {
    Path found = path.resolve(file.name());
    if (!Files.isRegularFile(found, LinkOption.NOFOLLOW_LINKS)) {
      throw new BackupException("the backup is incomplete: the file " + found + " is missing");
    }
    if (Files.size(found) != file.bytes()) {
      throw new BackupException(
          "the backup is damaged: %s has %d bytes instead of %d"
              .formatted(found, Files.size(found), file.bytes()));
    }
  }

  /**
   * Checks that this version can read the rows. It reads those of lower levels even if it cannot
   * write them anymore.
   *
   * @throws BackupException if they were written at a higher level
   */
  void requireSupport(SupportedLevels supported) throws BackupException {
    if (manifest.level() > supported.highest()) {
      throw new BackupException(
          "cannot restore the backup in %s: its data has cluster level %d, but this version of FjordMQ supports %s; restore it with version %s, which wrote it, or a newer one"
              .formatted(path, manifest.level(), supported, manifest.version()));
    }
  }

  /**
   * Reads all files and compares their checksums.
   *
   * @throws BackupException if a file is damaged
   */
  void verify() throws IOException {
    for (BackupFile file : files()) {
      if (!Sha256.of(path.resolve(file.name())).equals(file.sha256())) {
        throw new BackupException(
            "the backup is damaged: checksum mismatch in " + path.resolve(file.name()));
      }
    }
  }

  /**
   * Passes the rows of a file to the visitor.
   *
   * @throws IOException if the file is damaged; the rows before that have been visited
   */
  void read(BackupFile file, RowFile.RowVisitor visitor) throws IOException {
    RowFile.read(path.resolve(file.name()), visitor);
  }

  private List<BackupFile> files() {
    List<BackupFile> files = new ArrayList<>(List.of(manifest.metadata()));
    manifest.ranges().forEach(range -> files.add(range.file()));
    return files;
  }
}
