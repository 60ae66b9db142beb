package io.fjordmq.broker.flapping;

import java.time.Duration;

/**
 * Settings for the detection of flapping clients.
 *
 * @param enabled whether flapping clients are banned
 * @param maxCount number of disconnects within the window after which a client identifier is banned
 * @param window period in which disconnects are counted
 * @param banTime length of the ban
 * @param maxClients maximum number of client identifiers whose disconnects a node counts; beyond
 *     that, it forgets the one that began first
 */
public record FlappingSettings(
    boolean enabled, int maxCount, Duration window, Duration banTime, int maxClients) {
  /** The defaults, which are those of EMQX. */
  public static final FlappingSettings DEFAULTS =
      new FlappingSettings(false, 15, Duration.ofMinutes(1), Duration.ofMinutes(5), 50_000);

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public FlappingSettings {
    require(maxCount >= 2, "maxCount must be at least 2, not " + maxCount);
    require(
        window.toMillis() >= 1_000,
        "window must be at least 1 s, not " + window.toMillis() + " ms");
    require(
        banTime.toMillis() >= 1_000,
        "banTime must be at least 1 s, not " + banTime.toMillis() + " ms");
    require(maxClients >= 1, "maxClients must be at least 1, not " + maxClients);
  }

  private static void require(boolean valid, String fault) {
    if (!valid) {
      throw new IllegalArgumentException(fault);
    }
  }
}
