package io.fjordmq.cluster.membership;

/**
 * The clocks of a node as reported with each lease renewal.
 *
 * @param wallMillis the node's wall clock
 * @param clusterMillis the node's estimate of cluster time
 * @param source the source of {@code clusterMillis}
 */
record ClockReport(long wallMillis, long clusterMillis, Source source) {

  /**
   * How a node obtained its estimate of cluster time. Sent as the ordinal; older nodes send only 0
   * and 1.
   */
  enum Source {
    /**
     * The wall clock, because the node has saved no cluster time. Nodes of older versions send the
     * later of the wall clock and the saved time.
     */
    GUESS,
    /** Cluster time, which the node knows. */
    KNOWN,
    /**
     * The time saved before the node stopped, plus the time elapsed since it started: a lower bound
     * of cluster time. An older leader treats it as a guess.
     */
    SAVED;

    static Source of(int number) {
      return number == 1 ? KNOWN : number == 2 ? SAVED : GUESS;
    }
  }

  boolean isKnown() {
    return source == Source.KNOWN;
  }

  /** Returns the later of the wall clock and {@code clusterMillis}. */
  long estimatedMillis() {
    return Math.max(wallMillis, clusterMillis);
  }
}
