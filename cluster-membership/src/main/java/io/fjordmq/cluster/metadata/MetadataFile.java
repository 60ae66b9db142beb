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

  /**
   * Returns the records as of the last checkpoint, without those that only the log has; empty if
   * there is no checkpoint.
   *
   * @throws IOException if the file cannot be read
   */
  public MetadataView view() throws IOException {
    byte[] checkpoint = load();
    return checkpoint == null
        ? MetadataView.EMPTY
        : MetadataCodec.decodeCheckpoint(checkpoint).view();
  }

  @Override
  public void save(byte[] checkpoint) throws IOException {
    AtomicFile.replace(file, checkpoint);
  }
}
