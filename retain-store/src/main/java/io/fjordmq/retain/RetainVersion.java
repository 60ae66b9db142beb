package io.fjordmq.retain;

/**
 * Orders what one publisher has retained, through whatever nodes it came: a connection's messages
 * have its turn, and what an earlier connection has left on the way cannot replace what a later one
 * has retained. The two numbers are those of the connection's claim.
 *
 * @param epochVersion counts more than the index
 * @param index among turns of the same version
 */
public record RetainVersion(long epochVersion, long index) implements Comparable<RetainVersion> {
  /** Before every other: nobody's, or from before turns were stored. */
  public static final RetainVersion NONE = new RetainVersion(0, 0);

  @Override
  public int compareTo(RetainVersion other) {
    int byVersion = Long.compare(epochVersion, other.epochVersion);
    return byVersion != 0 ? byVersion : Long.compare(index, other.index);
  }
}
