package io.fjordmq.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageCodec;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.kv.KvWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Goal: what is left costs the apply thread no more than the bounds, whatever went before. */
class TrimLeftTest {
  private static final InboxId ID = new InboxId("t", "c");
  private static final int BUCKET = InboxKeys.bucket(ID);
  private static final long INCARNATION = 5;

  private final Rows rows = new Rows();
  private final InboxMemory memory = new InboxMemory(1);

  private void left(long sequence, @Nullable String share, int bytes) {
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
    rows.put(entry(sequence), EntryRow.encode(target, 0, MessageCodec.encode(message)));
  }

  private void ended(long from) {
    rows.put(InboxKeys.left(BUCKET, INCARNATION), new LeftRow(ID, 1, from).encode());
  }

  private static byte[] entry(long sequence) {
    return InboxKeys.entry(BUCKET, INCARNATION, sequence);
  }

  private TrimLeft.Trimmed trim(Long... given) {
    rows.visited = 0;
    TrimLeft command = new TrimLeft(ID, INCARNATION, List.of(given));
    return TrimLeft.decodeAnswer(command.apply(new InboxTables(rows, memory)));
  }

  private List<Long> read(int maxBytes) {
    ReadLeft query = new ReadLeft(ID, INCARNATION, 64, maxBytes, rows.nowMillis());
    return ReadLeft.decodeAnswer(query.answer(rows, memory)).messages().stream()
        .map(LeftMessage::sequence)
        .toList();
  }

  @Test
  void shouldBeginWhereTheRestBegins() {
    for (long i = 7; i <= 10; i++) {
      left(i, "g/a", 1);
    }
    ended(7);
    assertThat(trim().over()).isFalse();
    assertThat(rows.scanned).isEqualTo(hex(entry(7)));
    assertThat(trim(7L, 8L).over()).isFalse();
    assertThat(trim().over()).isFalse();
    assertThat(rows.scanned).isEqualTo(hex(entry(9)));
    assertThat(read(1 << 20)).containsExactly(9L, 10L);
    assertThat(rows.scanned).isEqualTo(hex(entry(9)));
    assertThat(trim(10L).over()).isFalse();
    assertThat(trim(9L).over()).isTrue();
    assertThat(rows.rows).isEmpty();
  }

  @Test
  void shouldLookAtABoundedNumberOfRows() {
    int own = 2 * TrimLeft.MAX_ROWS;
    for (long i = 1; i <= own; i++) {
      left(i, null, 1);
    }
    left(own + 1, "g/a", 1);
    ended(1);
    assertThat(trim().over()).isFalse();
    assertThat(rows.visited).isLessThanOrEqualTo(TrimLeft.MAX_ROWS + 1);
    assertThat(read(1 << 20)).as("what was looked at has nothing").isEmpty();
    assertThat(trim().over()).isFalse();
    assertThat(read(1 << 20)).containsExactly((long) own + 1);
  }

  @Test
  void shouldLookAtABoundedNumberOfBytes() {
    int each = TrimLeft.MAX_BYTES / 3;
    for (long i = 1; i <= 8; i++) {
      left(i, null, each);
    }
    left(9, "g/a", each);
    left(10, "g/a", each);
    ended(1);
    assertThat(trim().over()).isFalse();
    assertThat(rows.visited).isEqualTo(4);
    assertThat(read(1 << 30)).isEmpty();
    trim();
    trim();
    assertThat(read(1)).as("the first one whatever it weighs").containsExactly(9L);
    assertThat(read(1 << 30)).containsExactly(9L, 10L);
  }

  /** Its answer is stored with its sender, on every replica. */
  @Test
  void shouldNotAnswerMessages() {
    left(1, "g/a", 100_000);
    ended(1);
    byte[] answer = new TrimLeft(ID, INCARNATION, List.of()).apply(new InboxTables(rows, memory));
    assertThat(answer).hasSizeLessThan(20);
  }

  private static String hex(byte[] key) {
    return HexFormat.of().formatHex(key);
  }

  /** Rows of one replica, which say where they are read. */
  private static final class Rows implements KvWriter, ApplyContext {
    private final NavigableMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
    private int visited;
    private String scanned = "";

    @Override
    public long nowMillis() {
      return 1_000;
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
