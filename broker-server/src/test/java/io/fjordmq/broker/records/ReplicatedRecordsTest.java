package io.fjordmq.broker.records;

import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import io.fjordmq.common.MalformedBytesException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records whose values are strings; those that begin with an exclamation mark are unreadable. */
class ReplicatedRecordsTest {
  private static final RecordType<String> TYPE =
      new RecordType<>("test/", "this string", ReplicatedRecordsTest::decode);

  private final TestRecords test = new TestRecords();
  private final ReplicatedRecords<String> records = open();

  private ReplicatedRecords<String> open() {
    return test.own(new ReplicatedRecords<>(test.client(), TYPE));
  }

  @AfterEach
  void close() {
    test.close();
  }

  private static String decode(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (text.startsWith("!")) {
      throw new MalformedBytesException("not a string");
    }
    return text;
  }

  private static byte[] encode(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static <T> CompletableFuture<T> failed(ConsensusException.Kind kind) {
    return CompletableFuture.failedFuture(new ConsensusException(kind, "leader gone"));
  }

  private CompletableFuture<Void> create(String name, String value) {
    return records.create("test/" + name, encode(value), name + " exists");
  }

  private MetadataRecord record(String name) {
    return Objects.requireNonNull(get(records.read()).get("test/" + name));
  }

  private CompletableFuture<Void> update(String name, String value) {
    MetadataRecord before = record(name);
    return records.write(Change.put(before.key(), encode(value), before.version()));
  }

  private Map<String, String> all() {
    MetadataView view = get(records.read());
    Map<String, String> values = new TreeMap<>();
    for (MetadataRecord record : records.select(view, value -> true)) {
      values.put(record.key(), records.decode(record));
    }
    return values;
  }

  @Test
  void shouldRetryUntilThereIsALeader() {
    test.writer =
        batch -> {
          test.writer = null;
          return failed(ConsensusException.Kind.NOT_LEADER);
        };
    get(create("a", "1"));
    assertThat(all()).containsExactly(Map.entry("test/a", "1"));
  }

  @Test
  void shouldFindOutWhetherAnUnconfirmedWriteWasMade() {
    test.writer =
        batch ->
            test.metadata
                .write(batch)
                .thenCompose(done -> failed(ConsensusException.Kind.OUTCOME_UNKNOWN));
    get(create("a", "1"));
    get(update("a", "2"));
    assertThat(all()).containsExactly(Map.entry("test/a", "2"));
    get(records.write(Change.remove("test/a", record("a").version())));
    test.writer = batch -> failed(ConsensusException.Kind.OUTCOME_UNKNOWN);
    assertThat(fails(create("a", "3"), Kind.UNAVAILABLE))
        .startsWith("the change was not confirmed and may still take effect");
    assertThat(all()).isEmpty();
  }

  @Test
  void shouldReportAConflict() {
    get(create("a", "1"));
    test.writer =
        batch -> {
          test.writer = null;
          get(update("a", "first"));
          return test.metadata.write(batch);
        };
    assertThat(fails(update("a", "second"), Kind.CHANGED))
        .isEqualTo("another request changed this string at the same time; try again");
    assertThat(all()).containsExactly(Map.entry("test/a", "first"));
    assertThat(fails(create("a", "3"), Kind.EXISTS)).isEqualTo("a exists");
  }

  @Test
  void shouldReportThatTheMetadataIsNotAvailable() {
    test.writer = batch -> failed(ConsensusException.Kind.CLOSED);
    assertThat(fails(create("a", "1"), Kind.UNAVAILABLE))
        .isEqualTo("the metadata is not available at the moment; try again: leader gone");
  }

  @Test
  void shouldLeaveOutRecordsThatThisNodeCannotRead() {
    get(create("a", "1"));
    test.put("test/b", encode("!"));
    assertThat(all()).containsOnlyKeys("test/a");
    assertThat(records.count(get(records.read()))).isEqualTo(2);
    MetadataRecord unreadable = record("b");
    assertThatThrownBy(() -> records.decode(unreadable))
        .isInstanceOfSatisfying(
            RecordException.class, e -> assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE))
        .hasMessage("this node cannot read this string: not a string");
  }

  @Test
  void shouldFollowReadableRecordsUntilItIsClosed() {
    get(create("a", "1"));
    List<String> seen = new ArrayList<>();
    records.follow(
        UnaryOperator.identity(),
        "nothing happens",
        (values, written) -> seen.add(values.values() + (written ? " written" : "")));
    get(create("b", "2"));
    test.put("test/b", encode("!"));
    test.put("other", encode("3"));
    get(records.write(Change.remove("test/a", Change.ANY)));
    assertThat(seen).containsExactly("[1] written", "[1, 2] written", "[1]", "[]");
    records.close();
    get(create("c", "3"));
    assertThat(seen).hasSize(4);
  }

  @Test
  void shouldNotUseRecordsThatItsCheckRejects() {
    get(create("a", "1"));
    List<String> seen = new ArrayList<>();
    records.follow(
        value -> {
          if (value.equals("bad")) {
            throw new IllegalStateException("test");
          }
          return value;
        },
        "nothing happens",
        (values, written) -> seen.add(values.toString()));
    get(update("a", "bad"));
    assertThat(seen).containsExactly("{test/a=1}", "{}");
    assertThat(all()).containsExactly(Map.entry("test/a", "bad"));
  }

  @Test
  void shouldWriteManyChangesInBatches() {
    List<Integer> batches = new ArrayList<>();
    test.writer =
        batch -> {
          batches.add(batch.size());
          return test.metadata.write(batch);
        };
    List<Change> small = new ArrayList<>();
    for (int i = 0; i < 501; i++) {
      small.add(Change.put("test/" + i, encode("1")));
    }
    get(records.writeAll(small));
    assertThat(batches).containsExactly(500, 1);
    batches.clear();
    byte[] large = new byte[200 << 10];
    get(records.writeAll(List.of(Change.put("test/x", large), Change.put("test/y", large))));
    assertThat(batches).containsExactly(1, 1);
    batches.clear();
    get(records.removeAll(value -> value.equals("1")));
    assertThat(batches).containsExactly(500, 1);
    assertThat(all()).containsOnlyKeys("test/x", "test/y");
  }

  @Test
  void shouldRemoveObsoleteRecordsAndSurviveFailures() {
    get(create("a", "old"));
    get(create("b", "new"));
    test.writer = batch -> failed(ConsensusException.Kind.CLOSED);
    records.removeObsolete(value -> value.equals("old"));
    assertThat(all()).hasSize(2);
    test.writer = null;
    records.removeObsolete(
        value -> {
          throw new IllegalStateException("test");
        });
    records.removeObsolete(value -> value.equals("old"));
    get(test.metadata.readView());
    assertThat(all()).containsOnlyKeys("test/b");
  }
}
