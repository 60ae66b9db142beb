package io.fjordmq.cluster.metadata;

/** The outcome of a committed batch. */
public sealed interface WriteResult {
  /**
   * The batch was written.
   *
   * @param version version of the view with the batch, and of every record in it
   */
  record Applied(long version) implements WriteResult {}

  /**
   * Nothing was written, because a record did not have the expected version. A writer that retries
   * a batch with unknown outcome may conflict with its own write: it should compare the record
   * before it reports a failure.
   *
   * @param key the key of the first such record in the batch
   * @param actualVersion the version of that record; {@link Change#ABSENT} if it does not exist
   */
  record Conflict(String key, long actualVersion) implements WriteResult {}
}
