package io.fjordmq.retain;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvWriter;
import io.fjordmq.retain.RetainStore.PutOutcome;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Commands read only the rows of topics that may have one. */
class UnknownTopicsTest {
  private static final byte[] TOPIC = RetainKeys.of("tenant", "a/b");
  private static final byte[] OTHER = RetainKeys.of("tenant", "a/c");
  private static final RetainPublisher EARLIER = RetainPublisher.of("p", new RetainVersion(1, 10));
  private static final RetainPublisher LATER = RetainPublisher.of("p", new RetainVersion(1, 20));

  private final Rows rows = new Rows();

  private RetainCoprocessor open(long indexBytes) {
    RetainCoprocessor store = new RetainCoprocessor(new IndexMemory(indexBytes), () -> {});
    store.open(KeyInterval.ALL, rows);
    return store;
  }

  private PutOutcome apply(RetainCoprocessor store, RetainCommand command) {
    byte[] response = store.apply(ByteBuffer.wrap(command.encode()), new Context());
    return PutMessage.decodeResponse(response);
  }

  private static PutMessage put(byte[] key, RetainPublisher publisher) {
    return new PutMessage(
        key, Message.NEVER, false, PutMessage.UNLIMITED, publisher, new byte[] {1, 2});
  }

  @Test
  void shouldNotReadTheRowOfANewTopic() {
    RetainCoprocessor store = open(1 << 20);

    assertThat(apply(store, put(TOPIC, EARLIER))).isEqualTo(PutOutcome.RETAINED);
    assertThat(apply(store, put(OTHER, EARLIER))).isEqualTo(PutOutcome.RETAINED);

    assertThat(rows.reads).isZero();
    assertThat(store.memory().count()).isEqualTo(2);
  }

  @Test
  void shouldReadTheRowThatIsReplaced() {
    RetainCoprocessor store = open(1 << 20);
    apply(store, put(TOPIC, LATER));

    assertThat(apply(store, put(TOPIC, EARLIER))).isEqualTo(PutOutcome.SUPERSEDED);
    assertThat(apply(store, put(TOPIC, LATER))).isEqualTo(PutOutcome.RETAINED);

    assertThat(rows.reads).isEqualTo(2);
    assertThat(store.memory().count()).isEqualTo(1);
  }

  @Test
  void shouldReadClearMarkers() {
    RetainCoprocessor store = open(1 << 20);
    apply(store, put(TOPIC, EARLIER));
    apply(store, new ClearTopic(TOPIC, LATER));

    assertThat(apply(store, put(TOPIC, EARLIER))).isEqualTo(PutOutcome.SUPERSEDED);
  }

  @Test
  void shouldReadClearMarkersAfterItWasReopened() {
    RetainCoprocessor before = open(1 << 20);
    apply(before, put(TOPIC, EARLIER));
    apply(before, put(OTHER, EARLIER));
    apply(before, new ClearTopic(TOPIC, LATER));

    RetainCoprocessor store = open(1 << 20);

    assertThat(apply(store, put(TOPIC, EARLIER))).isEqualTo(PutOutcome.SUPERSEDED);
    assertThat(apply(store, put(OTHER, LATER))).isEqualTo(PutOutcome.RETAINED);
    assertThat(store.memory().count()).isEqualTo(1);
  }

  @Test
  void shouldReadAllRowsWithoutAnIndex() {
    RetainCoprocessor store = open(1);
    apply(store, put(TOPIC, LATER));

    assertThat(apply(store, put(TOPIC, EARLIER))).isEqualTo(PutOutcome.SUPERSEDED);
    assertThat(store.memory().topics()).isNull();
    assertThat(store.memory().count()).isEqualTo(1);
  }

  private final class Context implements ApplyContext {
    @Override
    public long nowMillis() {
      return 1_000;
    }

    @Override
    public int level() {
      return 1;
    }

    @Override
    public long index() {
      return 1;
    }

    @Override
    public long epochVersion() {
      return 1;
    }

    @Override
    public KvWriter state() {
      return rows;
    }

    @Override
    public void emit(Object effect) {
      throw new IllegalStateException("unexpected effect " + effect);
    }
  }

  /** Sorted rows that count reads. */
  private static final class Rows implements KvWriter {
    private final NavigableMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);
    private int reads;

    @Override
    public byte @Nullable [] get(byte[] key) {
      reads++;
      return map.get(key);
    }

    @Override
    public void put(byte[] key, byte[] value) {
      map.put(key, value);
    }

    @Override
    public void insert(byte[] key, byte[] value) {
      map.put(key, value);
    }

    @Override
    public void delete(byte[] key) {
      map.remove(key);
    }

    @Override
    public void deleteRange(byte[] from, byte[] to) {
      map.subMap(from, to).clear();
    }

    @Override
    public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
      NavigableMap<byte[], byte[]> part = map.tailMap(from, true);
      for (var row : (to == null ? part : part.headMap(to, false)).entrySet()) {
        if (!visitor.visit(row.getKey(), row.getValue())) {
          return;
        }
      }
    }

    @Override
    public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
      throw new UnsupportedOperationException("commands read forwards");
    }
  }
}
