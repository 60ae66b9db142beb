package io.fjordmq.broker.simulation;

/**
 * The time of an event at a client.
 *
 * @param millis since the simulation began
 * @param clockSetMillis how far the wall clock has been set forward until then
 * @param incarnation of the broker
 */
record Moment(long millis, long clockSetMillis, long incarnation) {

  /** True if certainly less time has passed since then, on whichever clock. */
  boolean isWithin(long seconds, Moment then) {
    return millis - then.millis + clockSetMillis - then.clockSetMillis < seconds * 1_000;
  }
}
