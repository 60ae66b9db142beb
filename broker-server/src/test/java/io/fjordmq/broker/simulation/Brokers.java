package io.fjordmq.broker.simulation;

import org.jspecify.annotations.Nullable;

/** Where model clients connect: one broker from life to life, or the nodes of a cluster. */
interface Brokers {

  /** Somewhere to connect to; null if nobody listens. */
  @Nullable Door door();

  Moment now();

  /** Takes connections. */
  @FunctionalInterface
  interface Door {
    void accept(SimLink link);
  }
}
