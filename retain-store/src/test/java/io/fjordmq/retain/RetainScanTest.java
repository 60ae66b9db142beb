package io.fjordmq.retain;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cost of a lookup depends on the number of matches, not on the number of topics. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // filling the large store takes most of the time
class RetainScanTest {
  private static final String TENANT = "t";
  private static final int SITES = 300;
  private static final int DEVICES = 100;

  private final Store largeStore = createLargeStore();
  private int pages;

  /** Creates a store with 30,000 topics of four levels and a few others. */
  private static Store createLargeStore() {
    Store store = new Store();
    for (int site = 0; site < SITES; site++) {
      for (int device = 0; device < DEVICES; device++) {
        store.add("site/" + site + "/device" + device + "/temperature");
      }
    }
    store.add("site/7/device8/alarm");
    store.add("site/7/gateway/status/text");
    store.add("site7/x");
    store.add("other");
    store.add("device/1");
    store.add("device/1/a");
    for (int device = 1_000; device < 20_000; device++) {
      store.add("device/" + device + "/a");
    }
    return store;
  }

  @ParameterizedTest
  @CsvSource({
    "site/+/+/alarm, 1",
    "+/7/device8/+, 2",
    "+/+/gateway/#, 1",
    "site/7/+/status/#, 1",
    "+/x, 1",
    "+, 1",
    "+/1, 1",
    "+/+/+/nothing, 0",
    "+/+/+/+/+, 1",
    "site/+, 0",
    "other, 1",
    "device/1/#, 2",
    "device/1, 1",
    "site/+/device42/temperature, 300"
  })
  void shouldVisitRowsInProportionToMatches(String pattern, int matches) {
    int visited = lookUp(pattern, largeStore, largeStore.index, matches);
    assertThat(visited).isLessThanOrEqualTo(40 * (1 + matches));
    assertThat(pages).isEqualTo(1 + matches / 100);
  }

  @Test
  void shouldReadSequentiallyWhereMostRowsMatch() {
    largeStore.rows.scans = 0;
    int visited = lookUp("site/+/+/temperature", largeStore, largeStore.index, SITES * DEVICES);
    assertThat(visited).isLessThan(SITES * DEVICES * 12 / 10);
    assertThat(largeStore.rows.scans).isLessThan(2 * pages + 10);
  }

  @Test
  void shouldBoundAPageWithoutMatches() {
    Store store = new Store();
    for (int i = 0; i < 20_000; i++) {
      store.add("a/" + i + (i % 2 == 0 ? "/x/y" : "/z/w")); // x and w never occur together
    }
    lookUp("a/+/x/w", store, store.index, 0);
    assertThat(pages).isBetween(4, 10);
  }

  @Test
  void shouldFindTheSameTopicsWithoutAnIndex() {
    lookUp("site/+/device42/temperature", largeStore, null, 300);
    lookUp("device/1/#", largeStore, null, 2);
  }

  /** Returns the number of rows and index entries visited. */
  private int lookUp(
      String pattern, Store store, @Nullable RetainedTopicIndex index, int expected) {
    TopicFilter filter = TopicFilter.parse(pattern);
    List<String> found = new ArrayList<>();
    int visited = 0;
    pages = 0;
    byte[] cursor = RetainScan.firstKey(TENANT, pattern);
    while (cursor != null) {
      RetainQuery query = new RetainQuery(cursor, TENANT, pattern, 1, 100, Integer.MAX_VALUE);
      RetainScan scan = new RetainScan(query, KeyInterval.ALL, index);
      RetainResponse response = scan.run(store.rows);
      response.messages().forEach(m -> found.add(topicOf(m)));
      visited += scan.visited();
      pages++;
      cursor = response.next();
    }
    List<String> all =
        store.rows.map.keySet().stream()
            .map(RetainKeys::topicOf)
            .filter(topic -> filter.matches(new Topic(topic)))
            .toList();
    assertThat(found).containsExactlyInAnyOrderElementsOf(all).hasSize(expected);
    return visited;
  }

  private static String topicOf(byte[] message) {
    return MessageCodec.decode(ByteBuffer.wrap(message)).topic().name();
  }

  private static final class Store {
    final Rows rows = new Rows();
    final RetainedTopicIndex index = new RetainedTopicIndex();

    void add(String topic) {
      byte[] key = RetainKeys.of(TENANT, topic);
      Message message =
          new Message(
              new Topic(topic),
              topic.getBytes(StandardCharsets.UTF_8),
              Qos.AT_LEAST_ONCE,
              true,
              MessageProperties.NONE,
              "p",
              0,
              Message.NEVER);
      byte[] row =
          new RetainRow(Message.NEVER, RetainPublisher.NONE, MessageCodec.encode(message)).encode();
      rows.map.put(key, row);
      index.add(key);
    }
  }

  /** Sorted rows that count scans. */
  private static final class Rows implements KvReader {
    private final NavigableMap<byte[], byte[]> map = new TreeMap<>(Arrays::compareUnsigned);
    private int scans;

    @Override
    public byte @Nullable [] get(byte[] key) {
      return map.get(key);
    }

    @Override
    public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
      scans++;
      NavigableMap<byte[], byte[]> part = map.tailMap(from, true);
      for (var row : (to == null ? part : part.headMap(to, false)).entrySet()) {
        if (!visitor.visit(row.getKey(), row.getValue())) {
          return;
        }
      }
    }

    @Override
    public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
      throw new UnsupportedOperationException("lookups read forwards");
    }
  }
}
