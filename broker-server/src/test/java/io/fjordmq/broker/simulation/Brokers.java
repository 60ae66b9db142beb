package io.fjordmq.broker.simulation;

import org.jspecify.annotations.Nullable;

/** Where model clients connect: one broker across its restarts, or the nodes of a cluster. */
interface Brokers {

  /** A broker to connect to; null if none listens. */
  @Nullable Acceptor acceptor();

  Moment now();

  /** Accepts connections. */
  @FunctionalInterface
  interface Acceptor {
    void accept(SimLink link);
  }
}
