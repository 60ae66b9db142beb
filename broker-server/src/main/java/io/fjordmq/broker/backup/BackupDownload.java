package io.fjordmq.broker.backup;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies a backup from object storage to a directory. Files that an interrupted download has
 * completed are not copied again. Used by one thread; blocks.
 */
final class BackupDownload {
  private static final Logger LOG = LoggerFactory.getLogger(BackupDownload.class);

  /** The SDK does not retry after the first bytes of a file have arrived. */
  private static final int ATTEMPTS = 3;

  private final StoredBackup backup;
  private final Path directory;
  private final DirectoryStorage target;

  /**
   * @param directory exists
   */
  BackupDownload(StoredBackup backup, Path directory) {
    this.backup = backup;
    this.directory = directory;
    this.target = new DirectoryStorage(directory);
  }

  /**
   * Copies all files and compares their checksums.
   *
   * @return the copy
   * @throws BackupException if a file is damaged, or the disk has not enough space
   */
  StoredBackup run() throws IOException {
    deleteOthers();
    requireSpace();
    for (BackupFile file : backup.files()) {
      if (!isComplete(file)) {
        copy(file);
      }
    }
    try (InputStream in = backup.storage().read(StoredBackup.MANIFEST)) {
      target.put(StoredBackup.MANIFEST, in.readAllBytes());
    }
    StoredBackup copy = StoredBackup.open(target);
    if (!copy.manifestSha256().equals(backup.manifestSha256())) {
      throw new BackupException(
          "the backup in %s has changed during the download; restore another one"
              .formatted(backup.storage().location()));
    }
    return copy;
  }

  /** Deletes the manifest, so that the directory is no backup until the end, and foreign files. */
  private void deleteOthers() throws IOException {
    Set<String> expected = new HashSet<>();
    backup.files().forEach(file -> expected.add(file.name()));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (!expected.contains(file.getFileName().toString())) {
          Files.delete(file);
        }
      }
    }
  }

  private void requireSpace() throws IOException {
    long missing = 0;
    for (BackupFile file : backup.files()) {
      missing += file.bytes() - Math.min(file.bytes(), target.size(file.name()).orElse(0));
    }
    if (target.freeBytes() < missing) {
      throw new BackupException(
          "cannot download %s: %s has %d free bytes, but the files need %d; use a larger disk"
              .formatted(backup.storage().location(), directory, target.freeBytes(), missing));
    }
  }

  private boolean isComplete(BackupFile file) throws IOException {
    OptionalLong size = target.size(file.name());
    if (size.isEmpty() || size.getAsLong() != file.bytes()) {
      return false;
    }
    try (InputStream in = target.read(file.name())) {
      return Sha256.of(in).equals(file.sha256());
    }
  }

  private void copy(BackupFile file) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        copyOnce(file);
        return;
      } catch (BackupException e) {
        throw e;
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
          throw new BackupException(
              "cannot download %s from %s: %s; run the command again, which continues with this file"
                  .formatted(file.name(), backup.storage().location(), e.getMessage()),
              e);
        }
        LOG.debug("Downloading {} again", file.name(), e);
      }
    }
  }

  private void copyOnce(BackupFile file) throws IOException {
    MessageDigest digest = Sha256.begin();
    try (InputStream in = new DigestInputStream(backup.storage().read(file.name()), digest);
        BackupStorage.NewFile out = target.create(file.name())) {
      in.transferTo(out);
      backup.requireChecksum(file, Sha256.end(digest));
      out.commit();
    }
  }

  /** Deletes a downloaded backup; does nothing if there is none. */
  static void delete(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      for (Path file : list(directory)) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(directory);
    }
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }
}
