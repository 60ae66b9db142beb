package io.fjordmq.router;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;

/**
 * A command's view of a range: its rows, and the node's {@link RouteTable}, which changes with
 * them. Used by the apply thread of one replica, for one command.
 */
final class RouteRows {
  private final long range;
  private final KeyInterval interval;
  private final ApplyContext context;
  private final RouteTable table;

  /**
   * @param range number of the range
   */
  RouteRows(long range, KeyInterval interval, ApplyContext context, RouteTable table) {
    this.range = range;
    this.interval = interval;
    this.context = context;
    this.table = table;
  }

  void put(byte[] key, byte[] row) {
    context.state().put(key, row);
    table.add(RouteRow.decode(key, row));
  }

  /** Does not read the row, which is not needed to remove a route. */
  void remove(byte[] key) {
    context.state().delete(key);
    table.remove(RouteKeys.decode(key));
  }

  /** Visits the rows of the range, starting at a key. */
  void scan(byte[] from, KvReader.Visitor visitor) {
    context.state().scan(from, interval.end(), visitor);
  }

  /** Returns the key interval of the range. */
  KeyInterval interval() {
    return interval;
  }

  /** Returns the log position of the command. */
  RouteChanged response() {
    return new RouteChanged(range, context.index());
  }
}
