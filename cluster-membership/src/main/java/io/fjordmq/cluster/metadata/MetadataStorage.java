package io.fjordmq.cluster.metadata;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where the last checkpoint of the metadata is kept. Methods block. */
public interface MetadataStorage {
  /** What was saved last; null if nothing was. */
  byte @Nullable [] load() throws IOException;

  /** Replaces what was saved, as a whole; durable when it returns. */
  void save(byte[] checkpoint) throws IOException;
}
