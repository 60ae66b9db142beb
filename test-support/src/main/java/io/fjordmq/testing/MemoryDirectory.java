package io.fjordmq.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Creates temporary directories in memory if the host allows it, otherwise on disk. For simulations
 * that write many small files and sync each: the simulated disk decides what a crash loses, so real
 * syncs only take time.
 *
 * <p>Use it as {@code @TempDir(factory = MemoryDirectory.class)}.
 */
public final class MemoryDirectory implements TempDirFactory {
  private static final Path MEMORY = Path.of("/dev/shm");

  /** Containers often have 64 MiB, which other processes may need. */
  private static final long MIN_FREE_BYTES = 256L << 20;

  @Override
  public Path createTempDirectory(
      AnnotatedElementContext elementContext, ExtensionContext extensionContext)
      throws IOException {
    return create("junit-");
  }

  /**
   * Creates a directory that the caller deletes.
   *
   * @param prefix of its name
   */
  public static Path create(String prefix) throws IOException {
    boolean inMemory =
        Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= MIN_FREE_BYTES;
    return inMemory ? Files.createTempDirectory(MEMORY, prefix) : Files.createTempDirectory(prefix);
  }
}
