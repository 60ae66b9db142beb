package io.fjordmq.perf.scenario;

import java.math.BigDecimal;

/**
 * What each node may have of its machine, at most.
 *
 * @param processors as a share of time; 1.5 is one and a half. 0 for no limit
 * @param gibibytes of memory, the system's file cache for the node included; 0 for no limit
 */
public record NodeLimits(double processors, double gibibytes) {
  public static final NodeLimits NONE = new NodeLimits(0, 0);

  /** Linux gives a group at least a millisecond of each tenth of a second. */
  private static final double LEAST_PROCESSORS = 0.01;

  private static final double LEAST_GIBIBYTES = 1.0 / 64;
  private static final double MOST = 1_000_000;

  public NodeLimits {
    boolean none = processors == 0 && gibibytes == 0;
    boolean both =
        processors >= LEAST_PROCESSORS
            && processors <= MOST
            && gibibytes >= LEAST_GIBIBYTES
            && gibibytes <= MOST;
    if (!none && !both) {
      throw new ScenarioException(
          "nodeProcessors (at least 0.01) and nodeGibibytes (at least 1/64) come together; they are "
              + plain(processors)
              + " and "
              + plain(gibibytes));
    }
  }

  public boolean isNone() {
    return processors == 0;
  }

  public long bytes() {
    return (long) (gibibytes * (1L << 30));
  }

  /** As people say it. */
  @Override
  public String toString() {
    return plain(processors)
        + (processors == 1 ? " processor" : " processors")
        + " and "
        + plain(gibibytes)
        + " GiB";
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }
}
