package io.fjordmq.router;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Removes the routes of a node's earlier incarnations from a limited number of rows. The response
 * is a {@link StaleRoutesRemoved}.
 *
 * @param incarnation routes of lower incarnations are removed
 * @param maxRows maximum number of rows to examine, so that no log entry keeps the range busy for
 *     long
 * @param from first key to examine
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record RemoveStaleRoutes(String node, long incarnation, int maxRows, byte[] from)
    implements RouteCommand {
  /*
   *   s  node
   *   8  incarnation
   *   v  maxRows
   *   .. from
   */
  static final int KIND = 3;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public int expectedBytes() {
    return 24 + node.length() + from.length;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeString(node).writeLong(incarnation).writeVarint(maxRows).writeBytes(from);
  }

  static RemoveStaleRoutes read(ByteReader in) {
    return new RemoveStaleRoutes(
        in.readString(), in.readLong(), in.readInt(), in.readBytes(in.remaining()));
  }

  @Override
  public byte[] apply(RouteRows rows) {
    List<byte[]> stale = new ArrayList<>();
    byte[][] lastExamined = {from};
    int[] examined = {0};
    rows.scan(
        from,
        (key, row) -> {
          if (isStale(RouteKeys.decode(key).receiver())) {
            stale.add(key);
          }
          lastExamined[0] = key;
          return ++examined[0] < maxRows;
        });
    stale.forEach(rows::remove);
    boolean rangeDone = examined[0] < maxRows;
    return new StaleRoutesRemoved(
            stale.size(), rangeDone ? rows.interval().end() : successor(lastExamined[0]))
        .encode();
  }

  private boolean isStale(Receiver receiver) {
    return receiver instanceof Receiver.Live live
        && live.node().equals(node)
        && live.incarnation() < incarnation;
  }

  private static byte[] successor(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }
}
