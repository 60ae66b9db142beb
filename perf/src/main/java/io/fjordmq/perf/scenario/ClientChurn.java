package io.fjordmq.perf.scenario;

/**
 * Clients that repeatedly send DISCONNECT after a random time and reconnect a second later.
 *
 * @param percent percentage of the publishers and subscribers that are such clients; 0 for none
 * @param minSeconds duration of the shortest connection
 * @param maxSeconds duration of the longest connection
 */
public record ClientChurn(double percent, int minSeconds, int maxSeconds) {
  public static final ClientChurn NONE = new ClientChurn(0, 0, 0);

  public ClientChurn {
    if (percent < 0 || percent > 100) {
      throw new UsageException("leavingPercent must be between 0 and 100, not " + percent);
    }
    if (percent > 0 && (minSeconds < 1 || maxSeconds < minSeconds)) {
      throw new UsageException(
          "minLifeSeconds must be at least 1 and not above maxLifeSeconds, not %d and %d"
              .formatted(minSeconds, maxSeconds));
    }
  }

  /**
   * Returns whether the client with the given number disconnects and reconnects. These clients are
   * spread evenly.
   */
  public boolean includes(int number) {
    return (long) ((number + 1L) * percent / 100) > (long) (number * percent / 100);
  }
}
