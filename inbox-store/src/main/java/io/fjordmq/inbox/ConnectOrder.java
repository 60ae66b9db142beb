package io.fjordmq.inbox;

/**
 * Orders the connections of a client, at whatever nodes they are: each CONNECT has a place in the
 * log of the range that has the client's inbox, or would have it.
 *
 * @param epochVersion of the range when it was applied; grows when the client's key moves to
 *     another range, whose log begins anew
 * @param index in the range's log
 */
public record ConnectOrder(long epochVersion, long index) implements Comparable<ConnectOrder> {
  /** Before every other: a connection whose place is not known yet. */
  public static final ConnectOrder NONE = new ConnectOrder(0, 0);

  @Override
  public int compareTo(ConnectOrder other) {
    int byVersion = Long.compare(epochVersion, other.epochVersion);
    return byVersion != 0 ? byVersion : Long.compare(index, other.index);
  }
}
