package io.fjordmq.perf;

/** A workload that {@link Figures} runs against each broker in turn. */
interface Workload {

  /** Name of the workload, the heading of the report. */
  String name();

  /** Whether the broker keeps its default rate limits; false to lift them. */
  default boolean limited() {
    return true;
  }

  /** False if a second run against the same broker would give different results. */
  default boolean repeatable() {
    return true;
  }

  /**
   * Runs the workload once; leaves no session behind.
   *
   * @param brokerPid process to measure CPU time and memory of
   */
  Measures run(ClientLoops loops, long brokerPid) throws Exception;
}
