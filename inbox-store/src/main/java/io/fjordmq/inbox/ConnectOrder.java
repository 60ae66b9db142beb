package io.fjordmq.inbox;

/**
 * Orders the connections of a client across nodes. Each CONNECT has a position in the log of the
 * range that the client's inbox belongs to, whether or not the inbox exists.
 *
 * @param epochVersion epoch version of the range when the CONNECT was applied; increases when the
 *     client's key moves to another range, whose log has its own indexes
 * @param index index in the log of the range
 */
public record ConnectOrder(long epochVersion, long index) implements Comparable<ConnectOrder> {
  /** Lowest order: a connection whose position is not known yet. */
  public static final ConnectOrder NONE = new ConnectOrder(0, 0);

  @Override
  public int compareTo(ConnectOrder other) {
    int byVersion = Long.compare(epochVersion, other.epochVersion);
    return byVersion != 0 ? byVersion : Long.compare(index, other.index);
  }
}
