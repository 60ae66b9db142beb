package io.fjordmq.range;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * How a store calls its ranges, wherever their leaders are. The only place that retries: it follows
 * redirects, waits for leaders, and repeats a batch of unknown outcome under the same number, so a
 * command is applied at most once per call. Thread-safe; nothing here blocks.
 *
 * <p>Futures complete on a thread of the range store (often an apply thread); do not block it. They
 * fail with {@link RangeException} when the deadline has passed or the store is closed.
 */
public interface RangeClient {

  /**
   * Has the command applied by the range that holds the key. Commands of this client to one range
   * are applied in the order of the calls. Completes with the coprocessor's answer once a majority
   * has fsynced the entry and the leader has applied it.
   */
  CompletableFuture<byte[]> mutate(byte[] key, byte[] command);

  /**
   * Has one command applied per range that holds any of the keys; for a payload that goes to many
   * keys. The encoder is called once for each range with the positions (in {@code keys}) that fall
   * into it, and again if a split regroups them. Completes with one answer per key position: the
   * decoder's share of its range's answer.
   *
   * @param keys not empty
   */
  CompletableFuture<List<GroupAnswer>> mutateGrouped(List<byte[]> keys, GroupEncoder encoder);

  /**
   * Asks the leader of the range that holds the key. Linearizable with this client's completed
   * mutations.
   */
  CompletableFuture<byte[]> query(byte[] key, byte[] query);

  /**
   * The ranges that overlap the interval, in key order, each with the part of the interval it
   * holds.
   */
  List<KeyInterval> locate(KeyInterval interval);

  /** Makes the command for some of the keys of {@link #mutateGrouped}. */
  @FunctionalInterface
  interface GroupEncoder {
    byte[] encode(int[] positions);
  }

  /**
   * The answer of one range to its part of {@link #mutateGrouped}.
   *
   * @param positions the keys it covers
   * @param answer the coprocessor's answer
   */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record GroupAnswer(int[] positions, byte[] answer) {}
}
