package io.fjordmq.inbox.seeded;

import io.fjordmq.range.Coprocessor;

/** Applies entries with the help of a class that reads the clock of the host. */
public abstract class ImpureCoprocessor implements Coprocessor {
  public static final Class<?> HOST_CLOCK = HostClock.class;

  /** Differs from replica to replica. */
  protected static long stamp() {
    return HostClock.millis();
  }
}
