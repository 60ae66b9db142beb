package io.fjordmq.range;

import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A store's code inside one range replica: a pure function of (state, command). One instance per
 * replica.
 *
 * <p>No clock, no randomness, no thread, no "am I the leader": {@link #apply} runs on every replica
 * and must leave the same state everywhere. {@link #open} and {@link #apply} are called by one
 * thread at a time (the replica's apply thread); {@link #query} may be called by others at the same
 * time.
 */
public interface Coprocessor {

  /**
   * Called before each {@link #open}.
   *
   * @param parts numbers of all ranges that have ever become part of this one; they are no more
   */
  default void tookIn(List<Long> parts) {}

  /**
   * The state is there, or was replaced as a whole (reopened from disk, snapshot installed), or the
   * range has taken in its right neighbour, whose coprocessor of this node does nothing any more:
   * rebuild what is kept in memory. Nothing kept in memory may matter to the result of {@link
   * #apply} beyond what the state holds.
   */
  void open(KeyInterval interval, KvReader state);

  /**
   * The range was split: it holds only this part of what it held, and the rows of the rest are
   * another's from now on. The default reads its part anew, as {@link #open} does.
   */
  default void narrowed(KeyInterval interval, KvReader state) {
    open(interval, state);
  }

  /**
   * Called by the leader before a command gets into the log, on any thread: one that a newer node
   * has written must not get there.
   *
   * @param command not to be moved on in
   * @throws io.fjordmq.api.MalformedBytesException if {@link #apply} could not read it; says why
   */
  default void requireReadable(ByteBuffer command) {}

  /**
   * Executes one command.
   *
   * @param command as the store encoded it; valid during the call only
   * @return the answer to the caller; the same on every replica
   * @throws RuntimeException only for a bug: it halts the replica
   */
  byte[] apply(ByteBuffer command, ApplyContext context);

  /**
   * Everything up to this index of the range's log is in the state: after each write, before those
   * who wait for it are answered, and after {@link #open}.
   */
  default void applied(long index) {}

  /**
   * Answers from state that has at least everything applied before the call. Must not write. If the
   * range is split, or takes in its neighbour, during the call, the state is that of the keys it
   * had before; nobody is given such an answer.
   */
  byte[] query(ByteBuffer query, KvReader state);

  /**
   * The replica is closed or gives its interval away: forget what was derived outside the instance.
   */
  default void close() {}
}
