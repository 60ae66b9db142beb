package io.fjordmq.router;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The routes of one range. Keeps the node's {@link RouteTable} in step while it applies, on every
 * replica: when the answer is given, the route works here.
 */
final class RouterCoprocessor implements Coprocessor {
  private static final byte[] DONE = {};

  private final RouteTable table;

  /** What this replica has put into the table, by row key; shares the routes with it. */
  private final Map<byte[], Route> mine = new TreeMap<>(Arrays::compareUnsigned);

  private volatile byte[] firstKey = {};

  RouterCoprocessor(RouteTable table) {
    this.table = table;
  }

  @Override
  public void open(KeyInterval interval, KvReader state) {
    Map<byte[], Route> before = new TreeMap<>(Arrays::compareUnsigned);
    before.putAll(mine);
    mine.clear();
    state.scan(
        interval.start(),
        interval.end(),
        (key, value) -> {
          mine.put(key, RouteCodec.decode(key, value));
          return true;
        });
    // New ones first: a route that was there before and after must match all the time.
    mine.values().forEach(table::add);
    before.forEach(
        (key, route) -> {
          if (!mine.containsKey(key)) {
            table.remove(route);
          }
        });
    firstKey = interval.start();
  }

  @Override
  public byte[] apply(ByteBuffer bytes, ApplyContext context) {
    RouteCommand command = RouteCommand.decode(new ByteReader(bytes));
    if (command instanceof RouteCommand.Add add) {
      Route route = RouteCodec.decode(add.key(), add.value());
      context.state().put(add.key(), add.value());
      mine.put(add.key(), route);
      table.add(route);
      return DONE;
    }
    if (command instanceof RouteCommand.Remove remove) {
      remove(remove.key(), context);
      return DONE;
    }
    int removed = removeStale((RouteCommand.RemoveStale) command, context);
    return new ByteWriter(8).writeVarint(removed).toByteArray();
  }

  private void remove(byte[] key, ApplyContext context) {
    Route route = mine.remove(key);
    if (route != null) {
      context.state().delete(key);
      table.remove(route);
    }
  }

  private int removeStale(RouteCommand.RemoveStale command, ApplyContext context) {
    List<byte[]> stale = new ArrayList<>();
    for (Map.Entry<byte[], Route> entry : mine.entrySet()) {
      if (stale.size() == command.atMost()) {
        break;
      }
      if (entry.getValue().receiver() instanceof Receiver.Live live
          && live.node().equals(command.node())
          && live.incarnation() < command.incarnation()) {
        stale.add(entry.getKey());
      }
    }
    stale.forEach(key -> remove(key, context));
    return stale.size();
  }

  @Override
  public byte[] query(ByteBuffer query, KvReader state) {
    throw new UnsupportedOperationException("routes are matched in memory, not queried");
  }

  @Override
  public void close() {
    mine.values().forEach(table::remove);
    mine.clear();
  }

  /** The first key of its range; any thread. */
  byte[] firstKey() {
    return firstKey;
  }
}
