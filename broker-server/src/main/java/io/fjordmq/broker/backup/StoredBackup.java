package io.fjordmq.broker.backup;

import io.fjordmq.cluster.SupportedLevels;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A complete backup: its manifest and the files that the manifest lists. Blocks.
 *
 * @param manifestSha256 checksum of the manifest, which contains those of all other files
 */
record StoredBackup(BackupStorage storage, Manifest manifest, String manifestSha256) {
  static final String MANIFEST = "MANIFEST";
  private static final int MAX_MANIFEST_BYTES = 64 << 20;

  /**
   * Opens a backup and checks that all files exist and have the right size.
   *
   * @throws BackupException if it is incomplete, damaged, or written by a newer version
   */
  static StoredBackup open(BackupStorage storage) throws IOException {
    OptionalLong size = storage.size(MANIFEST);
    if (size.isEmpty()) {
      throw new BackupException(
          "the backup in %s is incomplete: it has no file %s, which is written last"
              .formatted(storage.location(), MANIFEST));
    }
    if (size.getAsLong() > MAX_MANIFEST_BYTES) {
      throw new BackupException(
          "%s/%s is too large for a manifest".formatted(storage.location(), MANIFEST));
    }
    byte[] bytes;
    try (InputStream in = storage.read(MANIFEST)) {
      bytes = in.readNBytes(MAX_MANIFEST_BYTES);
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    StoredBackup backup = new StoredBackup(storage, ManifestText.parse(text), Sha256.of(bytes));
    for (BackupFile listed : backup.files()) {
      backup.requireSize(listed);
    }
    return backup;
  }

  private void requireSize(BackupFile file) throws IOException {
    OptionalLong found = storage.size(file.name());
    if (found.isEmpty()) {
      throw new BackupException(
          "the backup is incomplete: the file %s is missing".formatted(nameOf(file)));
    }
    if (found.getAsLong() != file.bytes()) {
      throw new BackupException(
          "the backup is damaged: %s has %d bytes instead of %d"
              .formatted(nameOf(file), found.getAsLong(), file.bytes()));
    }
  }

  private String nameOf(BackupFile file) {
    return storage.location() + "/" + file.name();
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
              .formatted(storage.location(), manifest.level(), supported, manifest.version()));
    }
  }

  /**
   * Reads all files and compares their checksums.
   *
   * @throws BackupException if a file is damaged
   */
  void verify() throws IOException {
    for (BackupFile file : files()) {
      String found;
      try (InputStream in = storage.read(file.name())) {
        found = Sha256.of(in);
      }
      requireChecksum(file, found);
    }
  }

  /**
   * Requires that a file has this checksum.
   *
   * @throws BackupException if it is damaged
   */
  void requireChecksum(BackupFile file, String found) throws BackupException {
    if (!found.equals(file.sha256())) {
      throw new BackupException("the backup is damaged: checksum mismatch in " + nameOf(file));
    }
  }

  /** Returns all files except the manifest. */
  List<BackupFile> files() {
    List<BackupFile> files = new ArrayList<>(List.of(manifest.metadata()));
    manifest.ranges().forEach(range -> files.add(range.file()));
    return files;
  }
}
