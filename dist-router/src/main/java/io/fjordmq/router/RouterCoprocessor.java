package io.fjordmq.router;

import io.fjordmq.api.ByteReader;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The coprocessor of a range of routes. It writes rows, and updates the node's {@link RouteTable}
 * before the command is answered, so every acknowledged route is matched.
 *
 * <p>Closing leaves the routes in the table: a replica that stopped because of a full disk will be
 * reopened, and until then this node must continue to match the routes it has acknowledged. The
 * next replica that opens the interval corrects the table (see {@link RouteTable#rebuild}).
 */
final class RouterCoprocessor implements Coprocessor {
  private final long range;
  private final RouteTable table;
  private final AppliedRoutes applied;
  private KeyInterval interval = KeyInterval.ALL;
  private List<Long> parts = List.of();

  /**
   * @param range number of the range
   * @param applied receives the progress of this replica
   */
  RouterCoprocessor(long range, RouteTable table, AppliedRoutes applied) {
    this.range = range;
    this.table = table;
    this.applied = applied;
  }

  @Override
  public void absorbed(List<Long> ranges) {
    parts = ranges;
  }

  @Override
  public void open(KeyInterval held, KvReader state) {
    interval = held;
    table.rebuild(
        held,
        routes ->
            state.scan(
                held.start(),
                held.end(),
                (key, value) -> {
                  routes.accept(RouteCodec.decode(key, value));
                  return true;
                }));
    applied.opened(range, held, parts);
  }

  /** Routes of the keys that moved away stay in the table; another replica maintains them. */
  @Override
  public void narrowed(KeyInterval held, KvReader state) {
    interval = held;
    applied.narrowed(range, held);
  }

  @Override
  public void requireReadable(ByteBuffer command) {
    RouteCommand.decode(new ByteReader(command));
  }

  @Override
  public byte[] apply(ByteBuffer bytes, ApplyContext context) {
    RouteCommand command = RouteCommand.decode(new ByteReader(bytes));
    if (command instanceof RouteCommand.Add add) {
      context.state().put(add.key(), add.value());
      table.add(RouteCodec.decode(add.key(), add.value()));
      return new RouteChanged(range, context.index()).encode();
    }
    if (command instanceof RouteCommand.Remove remove) {
      removeRow(remove.key(), context.state());
      return new RouteChanged(range, context.index()).encode();
    }
    return removeStale((RouteCommand.RemoveStale) command, context.state()).encode();
  }

  /** {@link #apply} has already changed the table. */
  @Override
  public void applied(long index) {
    applied.advance(range, index);
  }

  /** Does not read the value, which is not needed to remove a route. */
  private void removeRow(byte[] key, KvWriter state) {
    state.delete(key);
    table.remove(RouteCodec.decodeKey(key));
  }

  private StaleRoutesRemoved removeStale(RouteCommand.RemoveStale command, KvWriter state) {
    List<byte[]> stale = new ArrayList<>();
    byte[][] lastExamined = {command.from()};
    int[] examined = {0};
    state.scan(
        command.from(),
        interval.end(),
        (key, value) -> {
          if (isStale(RouteCodec.decodeKey(key).receiver(), command)) {
            stale.add(key);
          }
          lastExamined[0] = key;
          return ++examined[0] < command.atMostRows();
        });
    stale.forEach(key -> removeRow(key, state));
    boolean rangeDone = examined[0] < command.atMostRows();
    return new StaleRoutesRemoved(
        stale.size(), rangeDone ? interval.end() : justAfter(lastExamined[0]));
  }

  private static boolean isStale(Receiver receiver, RouteCommand.RemoveStale command) {
    return receiver instanceof Receiver.Live live
        && live.node().equals(command.node())
        && live.incarnation() < command.incarnation();
  }

  private static byte[] justAfter(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }

  /** Not supported: every node matches against its own table. */
  @Override
  public byte[] query(ByteBuffer query, KvReader state) {
    throw new UnsupportedOperationException("the router store does not support queries");
  }
}
