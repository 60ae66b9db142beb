package io.fjordmq.inbox;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A replica without the engine: one coprocessor over a sorted map. */
final class SimInboxReplica implements KvWriter, ApplyContext {
  private final NavigableMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
  private final int cachedInboxes;
  final List<Object> effects = new ArrayList<>();
  private InboxCoprocessor coprocessor;
  private long nowMillis = 1_900_000_000_000L;
  private long index;

  SimInboxReplica(int cachedInboxes) {
    this.cachedInboxes = cachedInboxes;
    this.coprocessor = open();
  }

  private InboxCoprocessor open() {
    InboxCoprocessor opened = new InboxCoprocessor(cachedInboxes, () -> {});
    opened.open(KeyInterval.ALL, this);
    return opened;
  }

  /** Discards everything except the rows. */
  void reopen() {
    coprocessor.close();
    coprocessor = open();
  }

  void advance(long millis) {
    nowMillis += millis;
  }

  byte[] apply(InboxCommand command) {
    return apply(command.encode());
  }

  byte[] apply(byte[] command) {
    index++;
    return coprocessor.apply(ByteBuffer.wrap(command).asReadOnlyBuffer(), this);
  }

  byte[] query(InboxQuery query) {
    return coprocessor.query(ByteBuffer.wrap(query.encode()), this);
  }

  /** Whether totals may still be too low. */
  boolean isCounting() {
    return SweepQuery.decodeResponse(query(new SweepQuery())).counting();
  }

  InboxStoreStatus status() {
    return coprocessor.status();
  }

  /** Returns keys and values in hexadecimal. */
  Map<String, String> hexRows() {
    Map<String, String> hex = new TreeMap<>();
    HexFormat format = HexFormat.of();
    rows.forEach((key, value) -> hex.put(format.formatHex(key), format.formatHex(value)));
    return hex;
  }

  @Override
  public long nowMillis() {
    return nowMillis;
  }

  @Override
  public int level() {
    return 1;
  }

  @Override
  public long index() {
    return index;
  }

  @Override
  public long epochVersion() {
    return 1;
  }

  @Override
  public KvWriter state() {
    return this;
  }

  @Override
  public void emit(Object effect) {
    effects.add(effect);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    byte[] value = rows.get(key);
    return value == null ? null : value.clone();
  }

  @Override
  public void put(byte[] key, byte[] value) {
    rows.put(key.clone(), value.clone());
  }

  @Override
  public void insert(byte[] key, byte[] value) {
    if (rows.containsKey(key)) {
      throw new IllegalStateException("there is a row at " + HexFormat.of().formatHex(key));
    }
    put(key, value);
  }

  @Override
  public void delete(byte[] key) {
    rows.remove(key);
  }

  @Override
  public void deleteRange(byte[] from, byte[] to) {
    rows.subMap(from, to).clear();
  }

  @Override
  public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
    visit(to == null ? rows.tailMap(from, true) : rows.subMap(from, true, to, false), visitor);
  }

  @Override
  public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
    visit(
        (to == null ? rows.tailMap(from, true) : rows.subMap(from, true, to, false))
            .descendingMap(),
        visitor);
  }

  private static void visit(NavigableMap<byte[], byte[]> part, Visitor visitor) {
    for (Map.Entry<byte[], byte[]> row : new ArrayList<>(part.entrySet())) {
      if (!visitor.visit(row.getKey().clone(), row.getValue().clone())) {
        return;
      }
    }
  }
}
