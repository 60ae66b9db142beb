package io.fjordmq.range.placement;

/**
 * How many replicas the ranges of a store have, and where.
 *
 * @param store whose ranges
 * @param voters of each range, 1 to 5; as many as there are nodes if those are fewer
 * @param onEveryNode every node that is no voter of a range is a learner of it
 */
public record StorePlacement(String store, int voters, boolean onEveryNode) {
  public static final int MAX_VOTERS = 5;

  /**
   * @throws IllegalArgumentException if the number makes no sense; the message names it
   */
  public StorePlacement {
    if (voters < 1 || voters > MAX_VOTERS) {
      throw new IllegalArgumentException(
          "voters of store %s must be 1 to %d, not %d".formatted(store, MAX_VOTERS, voters));
    }
  }
}
