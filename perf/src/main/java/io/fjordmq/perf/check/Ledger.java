package io.fjordmq.perf.check;

/** Compares what one subscriber should receive with what it received. */
public interface Ledger {
  /** The classification of a message. */
  enum Entry {
    NEW,
    /** Arrived after a later message of the same publisher and QoS class. */
    OUT_OF_ORDER,
    DUPLICATE,
    /** Sent by a publisher to whose messages this subscriber has not subscribed. */
    MISROUTED
  }

  /** Records and classifies a received message. */
  Entry accept(int publisher, int number);

  /** Called when the subscriber has disconnected: messages sent from now on are optional. */
  default void onDisconnected() {
    throw new IllegalStateException("this subscriber must not disconnect during a run");
  }

  /**
   * Called when the subscriber has subscribed again: messages sent from now on are required.
   *
   * @return number of optional messages that were not delivered
   */
  default long onReconnected(SentMessages sentMessages) {
    throw new IllegalStateException("the subscriber has not disconnected");
  }

  /** Returns the numbers of required messages that were not delivered. */
  Missing missing(SentMessages sentMessages);
}
