package io.fjordmq.range;

import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A store's code inside a range replica: a deterministic state machine with one instance per
 * replica.
 *
 * <p>{@link #apply} runs on every replica and must produce the same state everywhere, so it uses no
 * clock, no randomness, no threads and no knowledge of the leader. {@link #open} and {@link #apply}
 * are called by one thread at a time (the replica's apply thread); {@link #query} may be called by
 * other threads concurrently.
 */
public interface Coprocessor {

  /**
   * Called before each {@link #open}.
   *
   * @param absorbedRanges numbers of all ranges ever merged into this one; they no longer exist
   */
  default void onAbsorbed(List<Long> absorbedRanges) {}

  /**
   * Rebuilds this instance's state in memory. Called when the state is available for the first
   * time, after it was replaced as a whole (reopened from disk, snapshot installed), and after the
   * range has absorbed its right neighbor, whose coprocessor on this node is no longer used. The
   * result of {@link #apply} must not depend on anything in memory that is not in the state.
   */
  void open(KeyInterval interval, KvReader state);

  /**
   * Called when the range was split and keeps only this interval; the other rows now belong to
   * another range. The default implementation reloads the remaining part with {@link #open}.
   */
  default void onNarrowed(KeyInterval interval, KvReader state) {
    open(interval, state);
  }

  /**
   * Called by the leader, on any thread, before it appends a command to the log. Rejects commands
   * that a newer node has encoded.
   *
   * @param command the encoded command; its position must not change
   * @throws io.fjordmq.common.MalformedBytesException if {@link #apply} could not decode the
   *     command; the message gives the reason
   */
  default void requireReadable(ByteBuffer command) {}

  /**
   * Executes one command.
   *
   * @param command as encoded by the store; valid only during the call
   * @return the response to the caller; the same on every replica
   * @throws RuntimeException only in case of a bug: it halts the replica
   */
  byte[] apply(ByteBuffer command, ApplyContext context);

  /**
   * Called when the state contains every entry up to this index of the range's log: after each
   * write, before the waiting callers get their responses, and after {@link #open}.
   */
  default void onApplied(long index) {}

  /**
   * Executes a query on a state that contains at least everything applied before the call. Must not
   * write. If the range splits or absorbs its neighbor during the call, the state still covers the
   * previous interval, and the response is discarded.
   */
  byte[] query(ByteBuffer query, KvReader state);

  /**
   * Called when the replica closes or loses its interval: discards everything outside this instance
   * that was derived from it.
   */
  default void close() {}
}
