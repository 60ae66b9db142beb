package io.fjordmq.range.kv;

/** Ordered keys of their own; what is written to one space is never seen in another. */
public interface KvSpace {

  String name();

  /**
   * The keys as they are at each call. One scan is consistent in itself; two calls are not
   * consistent with each other while somebody writes.
   */
  KvReader latest();

  /** The keys as they are now; must be closed. */
  KvSnapshot snapshot();

  /**
   * The keys as they are now, for scans that must not take long however many deleted rows are not
   * compacted yet. Must be closed; for one thread.
   *
   * @param maxSkipped deleted and overwritten rows that all scans together may step over, at least
   *     1. After that, they throw {@link KvException.Kind#TOO_MANY_TOMBSTONES}. A storage that
   *     drops deleted rows at once has none to step over
   */
  default KvSnapshot boundedSnapshot(long maxSkipped) {
    return snapshot();
  }

  /**
   * About how many bytes the rows with {@code from <= key < to} take in the storage, where they may
   * be compressed; deleted rows count until the storage has dropped them, and the latest writes may
   * be missing. Reads no rows, but may read indexes of table files.
   *
   * @throws KvException if the storage fails or is closed
   */
  long approximateBytes(byte[] from, byte[] to);

  /**
   * Applies all changes of the batch in their order, at once or not at all.
   *
   * @throws KvException if it was not written (disk full, I/O error)
   */
  void write(KvBatch batch);
}
