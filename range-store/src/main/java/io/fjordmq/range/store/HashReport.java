package io.fjordmq.range.store;

/** What a replica reports about its hash of a slice as of one log entry. */
public sealed interface HashReport {
  /** The replica has computed the hash. */
  record Hashed(SliceHash hash) implements HashReport {}

  /** The replica has not applied the entry, or not read all rows of the slice yet. */
  record Pending() implements HashReport {}

  /**
   * There will be no hash: the replica did not apply the entry in this process, because it was
   * installed from a snapshot or opened later; or it has too many slices to read.
   */
  record Missing() implements HashReport {}
}
