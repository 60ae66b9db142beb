package io.fjordmq.perf.check;

/** Compares what one subscriber should receive with what it received. */
public interface Ledger {
  /** The classification of a message. */
  enum Entry {
    NEW,
    /** After a later one of the same publisher and QoS class. */
    OUT_OF_ORDER,
    DUPLICATE,
    /** From a publisher whose messages this subscriber did not subscribe to. */
    MISROUTED
  }

  Entry accept(int publisher, int number);

  /** The subscriber has disconnected: messages sent from now on are optional. */
  void onDisconnected();

  /**
   * It is subscribed again: messages sent from now on are required.
   *
   * @return optional messages that were not delivered
   */
  long onReconnected(SentMessages sentMessages);

  /** Required messages that were not delivered. */
  Missing missing(SentMessages sentMessages);
}
