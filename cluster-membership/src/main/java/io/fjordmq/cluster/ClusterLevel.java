package io.fjordmq.cluster;

/**
 * The level at which this node writes (decision 0101). Everything that can be written in several
 * formats, and every behavior that has changed between releases, is chosen by it. Thread-safe; does
 * not block.
 */
public interface ClusterLevel {

  /**
   * Returns the level to write at. All members of the cluster can read it. It only grows while this
   * process runs, and may be behind the cluster's.
   */
  int current();

  /** Returns the levels that this node can read. */
  SupportedLevels supported();

  /** Returns a level that does not change, for a node whose level is not part of a cluster. */
  static ClusterLevel fixed(int level, SupportedLevels supported) {
    return new ClusterLevel() {
      @Override
      public int current() {
        return level;
      }

      @Override
      public SupportedLevels supported() {
        return supported;
      }
    };
  }

  /** Returns the level of a cluster that has never raised it. */
  static ClusterLevel first() {
    return fixed(SupportedLevels.FIRST, SupportedLevels.ofThisProcess());
  }
}
