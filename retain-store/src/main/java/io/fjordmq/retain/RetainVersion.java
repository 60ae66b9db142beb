package io.fjordmq.retain;

/**
 * Orders the retained messages of one publisher, whichever nodes they pass through. All messages of
 * a connection have its version, so a delayed message of an earlier connection cannot replace one
 * of a later connection. The two numbers are the connect order of the connection.
 *
 * @param epochVersion compared first
 * @param index orders versions with the same {@code epochVersion}
 */
public record RetainVersion(long epochVersion, long index) implements Comparable<RetainVersion> {
  /** Lowest version: no publisher, or a message stored before versions existed. */
  public static final RetainVersion NONE = new RetainVersion(0, 0);

  @Override
  public int compareTo(RetainVersion other) {
    int byVersion = Long.compare(epochVersion, other.epochVersion);
    return byVersion != 0 ? byVersion : Long.compare(index, other.index);
  }
}
