package io.fjordmq.range;

import io.fjordmq.range.kv.KvWriter;

/** The state that a command can read and change while it is applied. */
public interface ApplyContext {
  /**
   * Returns the cluster time at which the leader proposed the entry, in milliseconds since the
   * epoch. It does not decrease within a range, unless an operator resets the range's clock.
   */
  long nowMillis();

  /**
   * Returns the cluster level at which the leader proposed the entry (decision 0101). Chooses the
   * version of the rows to write, and behavior that has changed between releases. May decrease
   * within a range while a new leader does not know the latest level yet.
   */
  int level();

  /** Returns the index of the entry in the range's log; an entry can hold several commands. */
  long index();

  /**
   * Returns the version of the range's epoch. A key that moves to another range, whose log indexes
   * start over, gets a higher epoch version there.
   */
  long epochVersion();

  /**
   * Returns the rows of the range, including everything written so far. All writes of an entry
   * become visible atomically.
   */
  KvWriter state();

  /**
   * Requests an action outside the range, which the leader alone performs after the write. Effects
   * are lost if the leader crashes, so anything that must eventually happen belongs in the state as
   * well.
   */
  void emit(Object effect);
}
