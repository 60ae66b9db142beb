package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Stores the checkpoint in a file of the data directory. */
public final class MetadataFile implements MetadataStorage {
  private final Path file;

  /**
   * @param file the checkpoint file; its directory must exist
   */
  public MetadataFile(Path file) {
    this.file = file;
  }

  @Override
  public byte @Nullable [] load() throws IOException {
    return Files.exists(file) ? Files.readAllBytes(file) : null;
  }

  @Override
  public void save(byte[] checkpoint) throws IOException {
    AtomicFile.replace(file, checkpoint);
  }
}
