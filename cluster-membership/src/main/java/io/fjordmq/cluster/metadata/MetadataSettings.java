package io.fjordmq.cluster.metadata;

/**
 * Limits of the metadata group.
 *
 * @param maxBatchBytes maximum size of an encoded batch; larger ones are rejected before they are
 *     proposed
 * @param checkpointEveryEntries number of applied log entries after which the state is checkpointed
 *     and the log can be truncated
 */
public record MetadataSettings(int maxBatchBytes, int checkpointEveryEntries) {
  /** Batches of up to 1 MiB; a checkpoint every 1000 entries. */
  public static final MetadataSettings DEFAULT = new MetadataSettings(1 << 20, 1000);

  /**
   * @throws IllegalArgumentException if a limit is not positive
   */
  public MetadataSettings {
    if (maxBatchBytes < 1 || checkpointEveryEntries < 1) {
      throw new IllegalArgumentException(
          "maxBatchBytes and checkpointEveryEntries must be positive, not %d and %d"
              .formatted(maxBatchBytes, checkpointEveryEntries));
    }
  }
}
