package io.fjordmq.cluster.metadata;

/**
 * Limits of the metadata group.
 *
 * @param maxBatchBytes largest encoded batch; larger ones are refused before they are proposed
 * @param checkpointEveryEntries applied log entries after which the state is checkpointed and the
 *     log may be cut
 */
public record MetadataSettings(int maxBatchBytes, int checkpointEveryEntries) {
  /** 1 MiB; every 1000 entries. */
  public static final MetadataSettings DEFAULT = new MetadataSettings(1 << 20, 1000);

  /**
   * @throws IllegalArgumentException if a limit is not positive
   */
  public MetadataSettings {
    if (maxBatchBytes < 1 || checkpointEveryEntries < 1) {
      throw new IllegalArgumentException("limits of the metadata group must be positive");
    }
  }
}
