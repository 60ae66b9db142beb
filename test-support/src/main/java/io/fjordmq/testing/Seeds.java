package io.fjordmq.testing;

import org.jspecify.annotations.Nullable;

/**
 * The seeds with which a simulation runs. System properties override them: {@code
 * -Dfjordmq.sim.seeds=N} runs seeds 1 to N instead of the default number, {@code
 * -Dfjordmq.sim.percent=P} runs that percentage of the default number (at least one seed), and
 * {@code -Dfjordmq.sim.seed=X} runs only seed X.
 *
 * <p>The fast step of {@code bin/test.sh} runs a share of the seeds; the slow step runs all seeds
 * of tests with the tag {@value #TAG}.
 */
public final class Seeds {
  /** The JUnit tag of fast tests that call {@link #withDefaultCount}. */
  public static final String TAG = "seeds";

  private static final String SEED_PROPERTY = "fjordmq.sim.seed";
  private static final String SEEDS_PROPERTY = "fjordmq.sim.seeds";
  private static final String PERCENT_PROPERTY = "fjordmq.sim.percent";

  private final long first;
  private final long last;
  private final int defaultCount;

  private Seeds(long first, long last, int defaultCount) {
    this.first = first;
    this.last = last;
    this.defaultCount = defaultCount;
  }

  /** Runs the simulation with one seed; an exception counts as a failure. */
  @FunctionalInterface
  public interface Run {
    void run(long seed) throws Exception;
  }

  /** Returns seeds 1 to {@code defaultCount}, unless a system property overrides them. */
  public static Seeds withDefaultCount(int defaultCount) {
    long only = Long.getLong(SEED_PROPERTY, 0);
    return only != 0
        ? new Seeds(only, only, defaultCount)
        : new Seeds(
            1,
            Long.getLong(SEEDS_PROPERTY, share(defaultCount, Long.getLong(PERCENT_PROPERTY, 100))),
            defaultCount);
  }

  static long share(int defaultCount, long percent) {
    return Math.max(1, defaultCount * percent / 100);
  }

  public long count() {
    return last - first + 1;
  }

  /** Returns true if enough seeds run for assertions about totals over all runs. */
  public boolean areEnough() {
    return count() >= defaultCount;
  }

  /**
   * Runs the seeds one after another.
   *
   * @throws AssertionError if a run fails; the message names the seed that reproduces the failure
   */
  public void run(Run run) {
    for (long seed = first; seed <= last; seed++) {
      try {
        run.run(seed);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("reproduce with -D%s=%d: %s".formatted(SEED_PROPERTY, seed, e), e);
      }
    }
  }

  /**
   * Checks that a simulation detects a defect that was planted in the code under test. This proves
   * that the simulation can fail. Ignores the system properties.
   *
   * @param atMost maximum number of seeds, starting at 1
   * @return the failure of the first seed that detects the defect
   * @throws IllegalStateException if no seed does
   */
  public static AssertionError find(String defect, int atMost, Run run) {
    for (long seed = 1; seed <= atMost; seed++) {
      AssertionError found = detect(defect, seed, run);
      if (found != null) {
        return found;
      }
    }
    throw new IllegalStateException(atMost + " seeds did not detect this defect: " + defect);
  }

  /**
   * Like {@link #find(String, int, Run)}, for a defect that few seeds detect.
   *
   * @param likely a seed that has detected it before; tried first, because the search takes long
   */
  public static AssertionError find(String defect, int likely, int atMost, Run run) {
    AssertionError found = detect(defect, likely, run);
    if (found != null) {
      return found;
    }
    return find(
        defect,
        atMost,
        seed -> {
          if (seed != likely) {
            run.run(seed);
          }
        });
  }

  private static @Nullable AssertionError detect(String defect, long seed, Run run) {
    try {
      new Seeds(seed, seed, 1).run(run);
      return null;
    } catch (AssertionError e) {
      System.out.println("Seed " + seed + " detects: " + defect); // the seed to try first
      return e;
    }
  }
}
