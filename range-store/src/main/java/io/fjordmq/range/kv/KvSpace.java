package io.fjordmq.range.kv;

/** A separate ordered key space; writes to one space are never visible in another. */
public interface KvSpace {

  String name();

  /**
   * Reads the current rows at each call. A single scan is consistent, but two calls are not
   * consistent with each other if there are writes in between.
   */
  KvReader latest();

  /** Returns a snapshot of the current rows, which must be closed. */
  KvSnapshot snapshot();

  /**
   * Returns a snapshot for scans whose duration must not depend on the number of uncompacted
   * tombstones. Must be closed; not thread-safe.
   *
   * @param maxSkipped deleted and overwritten rows that all scans together may skip, at least 1.
   *     Beyond that, scans throw {@link KvException.Kind#TOO_MANY_TOMBSTONES}. A storage that drops
   *     deleted rows immediately has none to skip
   */
  default KvSnapshot boundedSnapshot(long maxSkipped) {
    return snapshot();
  }

  /**
   * Returns a snapshot for a long scan that no other reads will repeat soon: what it reads does not
   * replace other rows in caches. Must be closed.
   */
  default KvSnapshot uncachedSnapshot() {
    return snapshot();
  }

  /**
   * Estimates the stored size of the rows with {@code from <= key < to}, in bytes. Rows may be
   * compressed, deleted rows count until they are compacted, and the latest writes may be missing.
   * Reads no rows, but may read indexes of table files.
   *
   * @throws KvException if the storage fails or is closed
   */
  long approximateBytes(byte[] from, byte[] to);

  /**
   * Applies all changes of the batch atomically, in order.
   *
   * @throws KvException if the batch was not written (disk full, I/O error)
   */
  void write(KvBatch batch);
}
