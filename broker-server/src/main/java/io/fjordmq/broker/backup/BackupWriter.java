package io.fjordmq.broker.backup;

import io.fjordmq.cluster.AtomicFile;
import io.fjordmq.cluster.PrivateDirectory;
import io.fjordmq.range.store.RowFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Writes the files of a new backup. Used by one thread; blocks on the disk. */
final class BackupWriter {
  private final Path directory;
  private final List<Path> written = new ArrayList<>();

  private BackupWriter(Path directory) {
    this.directory = directory;
  }

  /**
   * Creates the directory, or uses an empty one.
   *
   * @throws BackupException if the directory cannot be used; the message says why
   */
  static BackupWriter create(Path directory) throws IOException {
    if (!directory.isAbsolute()) {
      throw new BackupException("the directory must be an absolute path, not " + directory);
    }
    Path path = directory.normalize();
    if (Files.isDirectory(path)) {
      requireEmpty(path);
    } else if (Files.exists(path)) {
      throw new BackupException(path + " is not a directory");
    } else if (!isCreatable(path)) {
      throw new BackupException(
          "%s does not exist and cannot be created: create it, or choose a directory in an existing one"
              .formatted(path));
    } else {
      createDirectory(path);
    }
    if (!Files.isWritable(path)) {
      throw new BackupException(path + " is not writable for the user that runs the node");
    }
    return new BackupWriter(path);
  }

  /** Whether the parent exists. It is not the root, which a typing error must not clutter. */
  private static boolean isCreatable(Path path) {
    Path parent = path.getParent();
    return parent != null && parent.getParent() != null && Files.isDirectory(parent);
  }

  private static void requireEmpty(Path path) throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      if (files.findAny().isPresent()) {
        throw new BackupException(path + " is not empty; choose a new directory");
      }
    }
  }

  private static void createDirectory(Path path) throws BackupException {
    try {
      PrivateDirectory.create(path);
    } catch (IOException e) {
      throw new BackupException("cannot create " + path + ": " + e, e);
    }
  }

  Path directory() {
    return directory;
  }

  /** Adds the rows of a file. */
  @FunctionalInterface
  interface Contents {
    void writeTo(RowFile.RowVisitor rows) throws IOException;
  }

  /** Writes a file, replacing an earlier attempt. */
  BackupFile write(String name, Contents contents) throws IOException {
    Path file = directory.resolve(name);
    Files.deleteIfExists(file);
    written.add(file);
    MessageDigest digest = Sha256.begin();
    long[] rows = {0};
    try (RowFile.Writer out = RowFile.create(file, digest)) {
      contents.writeTo(
          (key, value) -> {
            out.add(key, value);
            rows[0]++;
          });
      out.finish();
    }
    return new BackupFile(name, Files.size(file), Sha256.end(digest), rows[0]);
  }

  /** Completes the backup. */
  void finish(Manifest manifest) throws IOException {
    Path file = directory.resolve(BackupDirectory.MANIFEST);
    AtomicFile.replace(file, ManifestText.format(manifest).getBytes(StandardCharsets.UTF_8));
  }

  /** Deletes the files of a backup that has failed. The directory itself remains. */
  void discard() throws IOException {
    for (Path file : written) {
      Files.deleteIfExists(file);
    }
  }
}
