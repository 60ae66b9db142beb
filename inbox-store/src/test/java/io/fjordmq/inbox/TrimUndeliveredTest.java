package io.fjordmq.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.range.ApplyContext;
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
import org.junit.jupiter.api.Test;

/** Goal: trimming never costs the apply thread more than the limits allow. */
class TrimUndeliveredTest {
  private static final InboxId ID = new InboxId("t", "c");
  private static final int BUCKET = ID.bucket();
  private static final long INCARNATION = 5;

  private final Rows rows = new Rows();
  private final InboxMemory memory = new InboxMemory(1);

  private void addUndelivered(long sequence, @Nullable String share, int bytes) {
    Message message =
        new Message(
            new Topic("a"),
            new byte[bytes],
            Qos.AT_LEAST_ONCE,
            false,
            MessageProperties.NONE,
            "",
            1,
            Message.NEVER);
    InboxTarget target =
        new InboxTarget(ID, INCARNATION, Qos.AT_LEAST_ONCE, false, List.of(), share);
    rows.put(
        entry(sequence), EntryRow.encode(target, 0, ByteBuffer.wrap(MessageCodec.encode(message))));
  }

  private void endSession(long from) {
    rows.put(InboxKeys.undelivered(BUCKET, INCARNATION), new UndeliveredRow(ID, 1, from).encode());
  }

  private static byte[] entry(long sequence) {
    return InboxKeys.entry(BUCKET, INCARNATION, sequence);
  }

  private TrimUndelivered.Result trim(Long... given) {
    rows.visited = 0;
    TrimUndelivered command = new TrimUndelivered(ID, INCARNATION, List.of(given));
    return TrimUndelivered.decodeResponse(command.apply(new InboxRows(rows, memory)));
  }

  private List<Long> read(int maxBytes) {
    ReadUndelivered query = new ReadUndelivered(ID, INCARNATION, 64, maxBytes, rows.nowMillis());
    return ReadUndelivered.decodeResponse(query.execute(rows, memory)).messages().stream()
        .map(UndeliveredShareMessage::sequence)
        .toList();
  }

  @Test
  void shouldStartAtTheFirstRemainingMessage() {
    for (long i = 7; i <= 10; i++) {
      addUndelivered(i, "g/a", 1);
    }
    endSession(7);
    assertThat(trim().complete()).isFalse();
    assertThat(rows.scanned).isEqualTo(hex(entry(7)));
    assertThat(trim(7L, 8L).complete()).isFalse();
    assertThat(trim().complete()).isFalse();
    assertThat(rows.scanned).isEqualTo(hex(entry(9)));
    assertThat(read(1 << 20)).containsExactly(9L, 10L);
    assertThat(rows.scanned).isEqualTo(hex(entry(9)));
    assertThat(trim(10L).complete()).isFalse();
    assertThat(trim(9L).complete()).isTrue();
    assertThat(rows.rows).isEmpty();
  }

  @Test
  void shouldReadALimitedNumberOfRows() {
    int own = 2 * TrimUndelivered.MAX_ROWS;
    for (long i = 1; i <= own; i++) {
      addUndelivered(i, null, 1);
    }
    addUndelivered(own + 1, "g/a", 1);
    endSession(1);
    assertThat(trim().complete()).isFalse();
    assertThat(rows.visited).isLessThanOrEqualTo(TrimUndelivered.MAX_ROWS + 1);
    assertThat(read(1 << 20)).as("the rows read so far hold no message").isEmpty();
    assertThat(trim().complete()).isFalse();
    assertThat(read(1 << 20)).containsExactly((long) own + 1);
  }

  @Test
  void shouldReadALimitedNumberOfBytes() {
    int each = TrimUndelivered.MAX_BYTES / 3;
    for (long i = 1; i <= 8; i++) {
      addUndelivered(i, null, each);
    }
    addUndelivered(9, "g/a", each);
    addUndelivered(10, "g/a", each);
    endSession(1);
    assertThat(trim().complete()).isFalse();
    assertThat(rows.visited).isEqualTo(4);
    assertThat(read(1 << 30)).isEmpty();
    trim();
    trim();
    assertThat(read(1)).as("the first one whatever its size").containsExactly(9L);
    assertThat(read(1 << 30)).containsExactly(9L, 10L);
  }

  /** Its response is stored with its sender, on every replica. */
  @Test
  void shouldNotReturnMessages() {
    addUndelivered(1, "g/a", 100_000);
    endSession(1);
    byte[] response =
        new TrimUndelivered(ID, INCARNATION, List.of()).apply(new InboxRows(rows, memory));
    assertThat(response).hasSizeLessThan(20);
  }

  private static String hex(byte[] key) {
    return HexFormat.of().formatHex(key);
  }

  /** The rows of one replica; records which of them are read. */
  private static final class Rows implements KvWriter, ApplyContext {
    private final NavigableMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
    private int visited;
    private String scanned = "";

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
      return this;
    }

    @Override
    public void emit(Object effect) {}

    @Override
    public byte @Nullable [] get(byte[] key) {
      return rows.get(key);
    }

    @Override
    public void put(byte[] key, byte[] value) {
      rows.put(key, value);
    }

    @Override
    public void insert(byte[] key, byte[] value) {
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
      scanned = hex(from);
      for (Map.Entry<byte[], byte[]> row :
          new ArrayList<>(rows.subMap(from, true, to, false).entrySet())) {
        visited++;
        if (!visitor.visit(row.getKey(), row.getValue())) {
          return;
        }
      }
    }

    @Override
    public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
      throw new UnsupportedOperationException();
    }
  }
}
