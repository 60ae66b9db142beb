package io.fjordmq.perf.scenario;

import java.math.BigDecimal;

/**
 * Resource limits of each node.
 *
 * @param processors CPU time as a number of processors, for example 1.5; 0 for no limit
 * @param gibibytes memory in GiB, including the file cache of the node; 0 for no limit
 */
public record NodeLimits(double processors, double gibibytes) {
  public static final NodeLimits NONE = new NodeLimits(0, 0);

  /** Linux requires a quota of at least 1 ms per period of 100 ms. */
  private static final double MIN_PROCESSORS = 0.01;

  private static final double MIN_GIBIBYTES = 1.0 / 64;
  private static final double MAX_VALUE = 1_000_000;

  public NodeLimits {
    boolean none = processors == 0 && gibibytes == 0;
    boolean both =
        processors >= MIN_PROCESSORS
            && processors <= MAX_VALUE
            && gibibytes >= MIN_GIBIBYTES
            && gibibytes <= MAX_VALUE;
    if (!none && !both) {
      throw new UsageException(
          ("nodeProcessors (at least 0.01) and nodeGibibytes (at least 1/64) must both "
                  + "be set, not %s and %s")
              .formatted(plain(processors), plain(gibibytes)));
    }
  }

  public boolean isNone() {
    return processors == 0;
  }

  public long bytes() {
    return (long) (gibibytes * (1L << 30));
  }

  /** Returns a description such as {@code 1 processor and 1 GiB}. */
  @Override
  public String toString() {
    String noun = processors == 1 ? "processor" : "processors";
    return "%s %s and %s GiB".formatted(plain(processors), noun, plain(gibibytes));
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }
}
