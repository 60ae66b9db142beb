package io.fjordmq.range;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends a store's commands and queries to the leaders of its ranges, on any node. The range client
 * is the only layer that retries: it follows redirects, waits for leaders, and resends a batch
 * whose outcome is unknown under the same batch number, so that each call applies its command at
 * most once. Thread-safe and non-blocking.
 *
 * <p>Futures complete on a thread of the range store, often an apply thread, which callers must not
 * block. They fail with {@link RangeException} when the deadline passes or the store is closed.
 */
public interface RangeClient {

  /**
   * Sends a command to the range that holds the key. Commands of this client to the same range are
   * applied in call order. Completes with the coprocessor's response once a majority has fsynced
   * the entry and the leader has applied it.
   */
  CompletableFuture<byte[]> mutate(byte[] key, byte[] command);

  /**
   * Sends one command to each range that holds any of the keys, for example a message with many
   * targets. The encoder is called once for each range, with the positions (in {@code keys}) of the
   * keys that the range holds, and again if a split regroups them. Completes with one response per
   * command, each with the positions it covers.
   *
   * @param keys not empty
   */
  CompletableFuture<List<GroupResponse>> mutateGrouped(List<byte[]> keys, GroupEncoder encoder);

  /**
   * Queries the leader of the range that holds the key. Linearizable with the completed mutations
   * of this client.
   */
  CompletableFuture<byte[]> query(byte[] key, byte[] query);

  /**
   * Returns the parts of the interval that the known ranges hold, in key order, one for each range.
   */
  List<KeyInterval> locate(KeyInterval interval);

  /** Encodes the command for some of the keys of {@link #mutateGrouped}. */
  @FunctionalInterface
  interface GroupEncoder {
    byte[] encode(int[] positions);
  }

  /**
   * A range's response to its part of {@link #mutateGrouped}.
   *
   * @param positions positions of the keys that the response covers
   * @param response the coprocessor's response
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record GroupResponse(int[] positions, byte[] response) {}
}
