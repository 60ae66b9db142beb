package io.fjordmq.broker.records;

import java.util.Map;

/**
 * Receives the records of one type after each change, on the metadata thread.
 *
 * @param <T> the value of a record
 */
public interface RecordListener<T> {
  /**
   * Called after records were written or removed. Must not block or throw.
   *
   * @param records the records that this node can read, in the order of their keys; valid only
   *     during the call
   * @param written whether a record was created or changed
   */
  void onChanged(Map<String, T> records, boolean written);
}
