package io.fjordmq.perf.check;

/** What one subscriber should get, and what it got. */
public interface Ledger {
  /** What a message turned out to be. */
  enum Entry {
    NEW,
    /** After a later one of the same publisher and kind of QoS. */
    OUT_OF_ORDER,
    DUPLICATE,
    /** Of a publisher that sends nothing to this subscriber. */
    MISROUTED
  }

  Entry accept(int publisher, int number);

  /** The subscriber has gone: what is sent from now on need not come, and may. */
  void leave();

  /**
   * It is subscribed again: what is sent from now on must come.
   *
   * @return messages of its absence that have not come
   */
  long comeBack(Sent sent);

  /** Messages it should have got and did not. */
  Missing missing(Sent sent);
}
