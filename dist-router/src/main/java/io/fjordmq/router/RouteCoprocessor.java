package io.fjordmq.router;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The store of routes inside one range replica: decodes and executes commands, which write rows and
 * update the node's {@link RouteTable} before they respond, so every acknowledged route is matched.
 *
 * <p>Closing leaves the routes in the table: a replica that stopped because of a full disk will be
 * reopened, and until then this node must continue to match the routes it has acknowledged. The
 * next replica that opens the interval corrects the table (see {@link RouteTable#rebuild}).
 */
final class RouteCoprocessor implements Coprocessor {
  private final long range;
  private final RouteTable table;
  private final AppliedRoutes applied;
  private KeyInterval interval = KeyInterval.ALL;
  private List<Long> absorbedRanges = List.of();

  /**
   * @param range number of the range
   * @param applied receives the progress of this replica
   */
  RouteCoprocessor(long range, RouteTable table, AppliedRoutes applied) {
    this.range = range;
    this.table = table;
    this.applied = applied;
  }

  @Override
  public void onAbsorbed(List<Long> ranges) {
    absorbedRanges = ranges;
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
                (key, row) -> {
                  routes.accept(RouteRow.decode(key, row));
                  return true;
                }));
    applied.opened(range, held, absorbedRanges);
  }

  /** Keeps the routes of the keys that moved away in the table; another replica maintains them. */
  @Override
  public void onNarrowed(KeyInterval held, KvReader state) {
    interval = held;
    applied.narrowed(range, held);
  }

  @Override
  public void requireReadable(ByteBuffer command) {
    RouteCommand.decode(command);
  }

  @Override
  public byte[] apply(ByteBuffer command, ApplyContext context) {
    return RouteCommand.decode(command).apply(new RouteRows(range, interval, context, table));
  }

  /** Only records the progress, because {@link #apply} has already changed the table. */
  @Override
  public void onApplied(long index) {
    applied.advance(range, index);
  }

  /** Always throws, because every node matches against its own table. */
  @Override
  public byte[] query(ByteBuffer query, KvReader state) {
    throw new UnsupportedOperationException(
        "ranges of the dist store cannot be queried: every node matches against its own route table");
  }
}
