package io.fjordmq.retain;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.util.Objects;

/**
 * Removes messages and clear markers that have expired at the time of the log entry. The response
 * is empty.
 *
 * @param maxRemovals maximum number of removals, which bounds the size of the entry's write
 */
public record ExpireMessages(int maxRemovals) implements RetainCommand {
  /*
   *   v  maxRemovals
   */
  static final int KIND = 3;

  private static final byte[] DONE = {};

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeVarint(maxRemovals);
  }

  static ExpireMessages read(ByteReader in) {
    return new ExpireMessages(in.readInt());
  }

  @Override
  public byte[] apply(RetainRows rows) {
    int remaining = maxRemovals;
    DueKeys expiring = rows.memory().expiring();
    for (; remaining > 0 && expiring.firstMillis() <= rows.nowMillis(); remaining--) {
      byte[] key = expiring.first();
      byte[] row = Objects.requireNonNull(rows.find(key));
      RetainRow.Head head = RetainRow.headOf(row);
      rows.remove(key, row, head);
      rows.putClearMarker(key, head.retainPublisher());
    }
    DueKeys clearMarkers = rows.memory().clearMarkers();
    for (; remaining > 0 && clearMarkers.firstMillis() <= rows.nowMillis(); remaining--) {
      rows.removeOldestClearMarker();
    }
    return DONE;
  }
}
