package io.fjordmq.perf.scenario;

/**
 * Clients that do not stay: each lives for a random time, leaves in good order, and comes back a
 * second later, again and again.
 *
 * @param percent of the clients that publish or subscribe do that; 0 for none
 * @param leastSeconds of a life
 * @param mostSeconds of a life
 */
public record Leaving(double percent, int leastSeconds, int mostSeconds) {
  public static final Leaving NONE = new Leaving(0, 0, 0);

  public Leaving {
    if (percent < 0 || percent > 100) {
      throw new ScenarioException("leavingPercent is 0 to 100, not " + percent);
    }
    if (percent > 0 && (leastSeconds < 1 || mostSeconds < leastSeconds)) {
      throw new ScenarioException(
          "leastLifeSeconds is at least 1 and not above mostLifeSeconds; they are "
              + leastSeconds
              + " and "
              + mostSeconds);
    }
  }

  /** Whether client number n is one of them: they are spread evenly. */
  public boolean includes(int number) {
    return (long) ((number + 1L) * percent / 100) > (long) (number * percent / 100);
  }
}
