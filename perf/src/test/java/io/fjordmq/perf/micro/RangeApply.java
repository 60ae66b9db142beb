package io.fjordmq.perf.micro;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The work of a range for a command of any store, without the log: a leader takes an entry of 64
 * commands, applies it, writes it to RocksDB and responds. Each command overwrites one of 10,000
 * rows of 256 bytes.
 */
@State(Scope.Benchmark)
public class RangeApply {
  private static final int COMMANDS = 64;
  private static final int MAX_RESPONSE_BYTES = 1 << 20;
  private static final int ROWS = 10_000;
  private static final int ROW_BYTES = 256;
  private static final RangeId RANGE = new RangeId("rows", 1);

  private final byte[][] rows = new byte[ROWS][];
  private LocalStore store;
  private RangeResult response;
  private long sender;
  private long batch;
  private int next;

  @Setup
  public void start() throws IOException {
    store =
        LocalStore.applyingImmediately(
            new StoreSpec(
                RANGE.store(), List.of(), range -> new RowCoprocessor(), (range, effects) -> {}));
    for (int i = 0; i < ROWS; i++) {
      rows[i] = ByteBuffer.allocate(RowCoprocessor.KEY_BYTES + ROW_BYTES).putInt(i).array();
    }
    response = propose(RangeEntry.encodeRegister());
    sender = ((RangeResult.Registered) response).sender();
  }

  @Benchmark
  @OperationsPerInvocation(COMMANDS)
  public RangeResult.Applied apply() {
    List<byte[]> commands = new ArrayList<>(COMMANDS);
    for (int i = 0; i < COMMANDS; i++) {
      commands.add(rows[next]);
      next = next + 1 == ROWS ? 0 : next + 1;
    }
    byte[] entry =
        RangeEntry.encodeMutations(
            RangeEpoch.FIRST.version(), sender, ++batch, MAX_RESPONSE_BYTES, commands);
    return (RangeResult.Applied) propose(entry);
  }

  private RangeResult propose(byte[] entry) {
    store.ranges().transport().propose(LocalStore.SELF, RANGE, entry, result -> response = result);
    return response;
  }

  @TearDown
  public void stop() throws IOException {
    store.close();
  }

  /** The smallest possible store: a command is a key and its row. */
  private static final class RowCoprocessor implements Coprocessor {
    static final int KEY_BYTES = 4;
    private static final byte[] DONE = {};

    @Override
    public void open(KeyInterval interval, KvReader state) {}

    @Override
    public byte[] apply(ByteBuffer command, ApplyContext context) {
      byte[] key = new byte[KEY_BYTES];
      command.get(key);
      byte[] row = new byte[command.remaining()];
      command.get(row);
      context.state().put(key, row);
      return DONE;
    }

    @Override
    public byte[] query(ByteBuffer query, KvReader state) {
      throw new UnsupportedOperationException("queries are not supported");
    }
  }
}
