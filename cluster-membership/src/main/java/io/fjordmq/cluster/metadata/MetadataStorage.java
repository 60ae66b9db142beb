package io.fjordmq.cluster.metadata;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Stores the last checkpoint of the metadata. Its methods block. */
public interface MetadataStorage {
  /** Returns the last saved checkpoint; null if there is none. */
  byte @Nullable [] load() throws IOException;

  /** Replaces the saved checkpoint atomically. It is durable when this method returns. */
  void save(byte[] checkpoint) throws IOException;
}
