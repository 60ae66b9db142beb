package io.fjordmq.range;

import io.fjordmq.range.kv.KvWriter;

/** What a command may touch while it is applied. */
public interface ApplyContext {
  /**
   * Wall clock of the leader that proposed the entry, milliseconds since the epoch; never runs
   * backwards in a range.
   */
  long nowMillis();

  /** Where the entry stands in the range's log; several commands may be of one entry. */
  long index();

  /**
   * Version of the range's epoch: a key that moves to another range, whose log begins anew, finds a
   * higher one there.
   */
  long epochVersion();

  /**
   * The range's keys, with everything written so far. All writes of an entry become visible at
   * once.
   */
  KvWriter state();

  /**
   * Asks for something to be done outside after the write, by the leader only. Effects of a crashed
   * leader are lost: state must hold whatever has to happen in the end.
   */
  void emit(Object effect);
}
