package io.fjordmq.range.placement;

/**
 * The number of replicas of a store's ranges, and where they are.
 *
 * @param store name of the store
 * @param voters voters of each range, 1 to 5; as many as there are nodes if there are fewer nodes
 * @param onEveryNode whether every node that is not a voter of a range is a learner
 */
public record StorePlacement(String store, int voters, boolean onEveryNode) {
  public static final int MAX_VOTERS = 5;

  /**
   * @throws IllegalArgumentException if the number is out of bounds; the message names it
   */
  public StorePlacement {
    if (voters < 1 || voters > MAX_VOTERS) {
      throw new IllegalArgumentException(
          "the number of voters of store %s must be between 1 and %d, not %d"
              .formatted(store, MAX_VOTERS, voters));
    }
  }
}
