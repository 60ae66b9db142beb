package io.fjordmq.perf;

/** A piece of work that {@link Figures} gives to each broker in turn. */
interface Figure {

  /** What is measured, as the heading of the report. */
  String name();

  /**
   * Whether the broker limits clients' rates as usual; false where they are to get all they can.
   */
  default boolean limited() {
    return true;
  }

  /** False where a broker that has done it once would show something else the second time. */
  default boolean repeatable() {
    return true;
  }

  /**
   * Does the work once; leaves no session behind.
   *
   * @param brokerPid whose processor time and memory counts
   */
  Measures run(ClientLoops loops, long brokerPid) throws Exception;
}
