package io.fjordmq.perf.load;

import java.util.function.IntUnaryOperator;

/** What one subscriber should get, and what it got. */
interface Ledger {
  /** What a message turned out to be. */
  enum Entry {
    NEW,
    /** After a later one of the same publisher. */
    OUT_OF_ORDER,
    DUPLICATE,
    /** Of a publisher that sends nothing to this subscriber. */
    MISROUTED
  }

  Entry accept(int publisher, int number);

  /**
   * Messages it should have got and did not.
   *
   * @param sent how many a publisher has sent
   */
  long missing(IntUnaryOperator sent);
}
