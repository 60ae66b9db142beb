package io.fjordmq.perf.scenario;

/**
 * Clients that disconnect properly after a random time and return a second later, repeatedly.
 *
 * @param percent of the publishers and subscribers; 0 for none
 * @param leastSeconds shortest connection
 * @param mostSeconds longest connection
 */
public record Leaving(double percent, int leastSeconds, int mostSeconds) {
  public static final Leaving NONE = new Leaving(0, 0, 0);

  public Leaving {
    if (percent < 0 || percent > 100) {
      throw new ScenarioException("leavingPercent must be 0 to 100, not " + percent);
    }
    if (percent > 0 && (leastSeconds < 1 || mostSeconds < leastSeconds)) {
      throw new ScenarioException(
          "leastLifeSeconds must be at least 1 and not above mostLifeSeconds, not "
              + leastSeconds
              + " and "
              + mostSeconds);
    }
  }

  /** Whether client n is one of them; they are spread evenly. */
  public boolean includes(int number) {
    return (long) ((number + 1L) * percent / 100) > (long) (number * percent / 100);
  }
}
