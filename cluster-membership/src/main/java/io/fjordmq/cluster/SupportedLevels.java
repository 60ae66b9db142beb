package io.fjordmq.cluster;

import java.util.ServiceLoader;

/**
 * The cluster levels that a release supports (decision 0101). It reads everything that is written
 * at any of these levels, and can write at each of them. Level 1 is the level of a cluster whose
 * metadata contain none, and the only one of a node that has announced none.
 *
 * @param lowest the lowest supported level
 * @param highest the highest supported level
 */
public record SupportedLevels(int lowest, int highest) {
  /** Levels are stored in 16 bits. */
  public static final int MAX = 0xffff;

  /** The formats of the first release that can be upgraded node by node. */
  public static final int FIRST = 1;

  /** The support of a node that has announced none. */
  public static final SupportedLevels FIRST_ONLY = new SupportedLevels(FIRST, FIRST);

  private static final SupportedLevels THIS_RELEASE = new SupportedLevels(FIRST, 2);

  /** Replaces the levels of this release, so that mixed clusters can be tested. */
  public interface Source {
    SupportedLevels levels();
  }

  /**
   * @throws IllegalArgumentException if the range is empty or exceeds 1 to {@link #MAX}
   */
  public SupportedLevels {
    if (lowest < FIRST || highest < lowest || highest > MAX) {
      throw new IllegalArgumentException(
          "supported levels must be an ascending range within %d to %d, not %d to %d"
              .formatted(FIRST, MAX, lowest, highest));
    }
  }

  /**
   * Returns the levels that this process supports. Releases contain no {@link Source}; tests add
   * one to the class path.
   */
  public static SupportedLevels ofThisProcess() {
    return ServiceLoader.load(Source.class, SupportedLevels.class.getClassLoader())
        .findFirst()
        .map(Source::levels)
        .orElse(THIS_RELEASE);
  }

  public boolean contains(int level) {
    return level >= lowest && level <= highest;
  }

  @Override
  public String toString() {
    return lowest == highest ? "level " + highest : "levels " + lowest + " to " + highest;
  }
}
