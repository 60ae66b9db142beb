package io.fjordmq.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Replaces small files atomically: after a crash a file has either its old or its new contents. */
public final class AtomicFile {
  static final String TEMPORARY_SUFFIX = ".tmp";

  private AtomicFile() {}

  /**
   * Replaces the contents of the file. The new contents are durable when this method returns.
   * Blocks for two fsyncs.
   *
   * @param file the file to replace; its directory must exist. A sibling with the suffix {@code
   *     .tmp} is overwritten
   */
  public static void replace(Path file, byte[] content) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      throw new FileSystemException(
          file.toString(), null, "cannot be replaced: the path has no parent directory");
    }
    Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY_SUFFIX);
    try (FileChannel channel =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    syncDirectory(directory);
  }

  /** Makes creations and renames in the directory durable. */
  static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
