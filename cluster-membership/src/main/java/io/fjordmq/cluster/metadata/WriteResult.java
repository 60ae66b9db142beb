package io.fjordmq.cluster.metadata;

/** How a batch ended that the group has agreed on. */
public sealed interface WriteResult {
  /**
   * All of it was written.
   *
   * @param version of the view that has it, and of every record it wrote
   */
  record Applied(long version) implements WriteResult {}

  /**
   * None of it was written, because a record was not at the expected version. A writer that repeats
   * a batch of unknown outcome meets its own write here: compare the record before giving up.
   *
   * @param key the first such record of the batch
   * @param actualVersion {@link Change#ABSENT} if there is none
   */
  record Conflict(String key, long actualVersion) implements WriteResult {}
}
