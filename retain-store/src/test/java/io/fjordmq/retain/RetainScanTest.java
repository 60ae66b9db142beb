package io.fjordmq.retain;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageCodec;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A look-up costs what it finds, not what there is. */
class RetainScanTest {
  private static final String TENANT = "t";
  private static final int SITES = 300;
  private static final int DEVICES = 100;

  private final Rows rows = new Rows();
  private final RetainedTopicIndex index = new RetainedTopicIndex();
  private int pages;

  /** 30,000 topics of four levels, and a few that differ. */
  private void fill() {
    for (int site = 0; site < SITES; site++) {
      for (int device = 0; device < DEVICES; device++) {
        add("site/" + site + "/device" + device + "/temperature");
      }
    }
    add("site/7/device8/alarm");
    add("site/7/gateway/status/text");
    add("site7/x");
    add("other");
    add("device/1");
    add("device/1/a");
    for (int device = 1_000; device < 20_000; device++) {
      add("device/" + device + "/a");
    }
  }

  private void add(String topic) {
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
        new RetainRow(Message.NEVER, RetainPublisher.NOBODY, MessageCodec.encode(message)).encode();
    rows.map.put(key, row);
    index.add(key);
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
    fill();
    int visited = lookUp(pattern, index, matches);
    assertThat(visited).isLessThanOrEqualTo(40 * (1 + matches));
    assertThat(pages).isEqualTo(1 + matches / 100);
  }

  @Test
  void shouldReadOnWhereMostRowsMatch() {
    fill();
    rows.scans = 0;
    int visited = lookUp("site/+/+/temperature", index, SITES * DEVICES);
    assertThat(visited).isLessThan(SITES * DEVICES * 12 / 10);
    assertThat(rows.scans).isLessThan(2 * pages + 10);
  }

  @Test
  void shouldBoundAPageThatFindsNothing() {
    for (int i = 0; i < 20_000; i++) {
      add("a/" + i + (i % 2 == 0 ? "/x/y" : "/z/w")); // x and w never meet
    }
    lookUp("a/+/x/w", index, 0);
    assertThat(pages).isBetween(4, 10);
  }

  @Test
  void shouldFindTheSameWithoutAnIndex() {
    fill();
    lookUp("site/+/device42/temperature", null, 300);
    lookUp("device/1/#", null, 2);
  }

  /** Returns the rows and entries visited. */
  private int lookUp(String pattern, @Nullable RetainedTopicIndex used, int expected) {
    TopicFilter filter = TopicFilter.parse(pattern);
    List<String> found = new ArrayList<>();
    int visited = 0;
    pages = 0;
    byte[] cursor = RetainScan.firstKey(TENANT, pattern);
    while (cursor != null) {
      RetainQuery query = new RetainQuery(cursor, TENANT, pattern, 1, 100, Integer.MAX_VALUE);
      RetainScan scan = new RetainScan(query, KeyInterval.ALL, used);
      RetainAnswer answer = scan.run(rows);
      answer.messages().forEach(m -> found.add(topicOf(m)));
      visited += scan.visited();
      pages++;
      cursor = answer.next();
    }
    List<String> all =
        rows.map.keySet().stream()
            .map(RetainKeys::topicOf)
            .filter(topic -> filter.matches(new Topic(topic)))
            .toList();
    assertThat(found).containsExactlyInAnyOrderElementsOf(all).hasSize(expected);
    return visited;
  }

  private static String topicOf(byte[] message) {
    return MessageCodec.decode(ByteBuffer.wrap(message)).topic().name();
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
      throw new UnsupportedOperationException("look-ups read forwards");
    }
  }
}
