package io.fjordmq.cluster.consensus.sim;

/**
 * The seeds that a simulation is run with, and the switches for all of them: {@code
 * -Dfjordmq.sim.seeds=N} runs seeds 1 to N instead of the usual number, {@code
 * -Dfjordmq.sim.seed=X} runs one alone.
 */
public final class Seeds {
  private static final String ONE = "fjordmq.sim.seed";
  private static final String MANY = "fjordmq.sim.seeds";

  private final long first;
  private final long last;
  private final int usual;

  private Seeds(long first, long last, int usual) {
    this.first = first;
    this.last = last;
    this.usual = usual;
  }

  /** One seed's run; what it throws is a failure. */
  @FunctionalInterface
  public interface Run {
    void play(long seed) throws Exception;
  }

  /** Seeds 1 to {@code usual} unless a switch says otherwise. */
  public static Seeds usually(int usual) {
    long only = Long.getLong(ONE, 0);
    return only != 0
        ? new Seeds(only, only, usual)
        : new Seeds(1, Long.getLong(MANY, usual), usual);
  }

  public long count() {
    return last - first + 1;
  }

  /** Whether sums over all runs mean something: how often they met what they are for. */
  public boolean areEnough() {
    return count() >= usual;
  }

  /**
   * Plays them one after the other.
   *
   * @throws AssertionError of the first that fails; says how to repeat it
   */
  public void play(Run run) {
    for (long seed = first; seed <= last; seed++) {
      try {
        run.play(seed);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("repeat it with -D%s=%d: %s".formatted(ONE, seed, e), e);
      }
    }
  }

  /**
   * How a simulation finds a defect that was planted in what it runs: one that cannot fail shows
   * nothing. The switches do not matter here.
   *
   * @param atMost seeds, from 1
   * @return the failure of the first seed that finds it
   * @throws IllegalStateException if none does
   */
  public static AssertionError find(String defect, int atMost, Run run) {
    try {
      new Seeds(1, atMost, atMost).play(run);
    } catch (AssertionError e) {
      return e;
    }
    throw new IllegalStateException(atMost + " seeds do not find this defect: " + defect);
  }

  /**
   * The same for what few seeds find.
   *
   * @param likely one that has found it: it is tried first, for a search takes long
   */
  public static AssertionError find(String defect, int likely, int atMost, Run run) {
    try {
      new Seeds(likely, likely, 1).play(run);
    } catch (AssertionError e) {
      return e;
    }
    return find(defect, atMost, run);
  }
}
