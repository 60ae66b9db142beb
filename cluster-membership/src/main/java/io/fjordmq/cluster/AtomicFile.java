package io.fjordmq.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A small file that is replaced as a whole: after a crash it holds the old or the new content. */
public final class AtomicFile {
  static final String TEMPORARY_SUFFIX = ".tmp";

  private AtomicFile() {}

  /**
   * Puts the content in place of what was there; durable when it returns. Blocks for two fsyncs.
   *
   * @param file its directory must exist; a sibling with the suffix {@code .tmp} is overwritten
   */
  public static void replace(Path file, byte[] content) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory == null) {
      throw new FileSystemException(file.toString(), null, "not a file in a directory");
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
