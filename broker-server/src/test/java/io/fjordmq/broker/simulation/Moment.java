package io.fjordmq.broker.simulation;

/**
 * When something happened to a client.
 *
 * @param millis since the simulation began
 * @param clockSetMillis by how much the clock on the wall has been set forward until then
 * @param life of the broker
 */
record Moment(long millis, long clockSetMillis, long life) {

  /** True if for sure less time has passed since then, for whoever looks at the clock. */
  boolean isWithin(long seconds, Moment then) {
    return millis - then.millis + clockSetMillis - then.clockSetMillis < seconds * 1_000;
  }
}
