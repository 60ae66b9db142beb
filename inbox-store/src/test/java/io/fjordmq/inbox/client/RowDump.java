package io.fjordmq.inbox.client;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * A coprocessor that returns all rows of its range in response to an empty query, so that tests can
 * inspect them.
 */
record RowDump(Coprocessor inner) implements Coprocessor {

  static StoreSpec wrap(StoreSpec spec) {
    return new StoreSpec(
        spec.name(),
        spec.initialSplitKeys(),
        id -> new RowDump(spec.coprocessorFactory().apply(id)),
        spec.effects());
  }

  /** Keys and values of all ranges, in hexadecimal. */
  static Map<String, String> of(RangeClient client) {
    Map<String, String> rows = new TreeMap<>();
    for (KeyInterval range : client.locate(KeyInterval.ALL)) {
      ByteReader in = new ByteReader(client.query(range.start(), new byte[0]).join());
      while (in.remaining() > 0) {
        rows.put(hex(in.readBlock()), hex(in.readBlock()));
      }
    }
    return rows;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public void open(KeyInterval interval, KvReader state) {
    inner.open(interval, state);
  }

  @Override
  public byte[] apply(ByteBuffer command, ApplyContext context) {
    return inner.apply(command, context);
  }

  @Override
  public void onApplied(long index) {
    inner.onApplied(index);
  }

  @Override
  public byte[] query(ByteBuffer query, KvReader state) {
    if (query.hasRemaining()) {
      return inner.query(query, state);
    }
    ByteWriter out = new ByteWriter(64);
    state.scan(
        new byte[0],
        null,
        (key, value) -> {
          out.writeBlock(key).writeBlock(value);
          return true;
        });
    return out.toByteArray();
  }

  @Override
  public void close() {
    inner.close();
  }
}
