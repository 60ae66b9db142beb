package io.fjordmq.broker.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fjordmq.api.Message;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.delivery.DeliveryStatus;
import io.fjordmq.broker.limits.OverloadReading;
import io.fjordmq.broker.nodes.NodesStatus;
import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.broker.ops.NodeStatus;
import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.range.kv.KvMetrics;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.RetainVersion;
import io.fjordmq.router.RouteStoreStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The topics and values of a node with known statistics. */
class SysTopicsTest {
  private static final Path DOCUMENT = Path.of("../docs/SYS-TOPICS.md");

  private final List<Message> published = new ArrayList<>();
  private long nowMillis = 1_767_225_600_000L;
  private long packets;
  private final SysTopics topics = topics(SysTopicsSettings.DEFAULTS);

  private SysTopics topics(SysTopicsSettings settings) {
    return new SysTopics(settings, "n1", "1.2", this::sysValues, published::add);
  }

  private SysValues sysValues() {
    ClientTraffic clientTraffic =
        new ClientTraffic(3, 4, 2, 9, 8, packets, 20, 30, 40, 5, 6, 7, 50, 60);
    return new SysValues(nowMillis, 93_784_000, 1_000, clientTraffic, status());
  }

  private static NodeStatus status() {
    NodeId self = new NodeId("n1");
    ReplicaSet members = ReplicaSet.ofVoters(self);
    return new NodeStatus(
        new DeliveryStatus(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new NodesStatus(0, 0, 0, 0)),
        new RouteStoreStatus(0, 0, 0, 0, 0, 0, 0, 0),
        new InboxStoreStatus(10, 1, 11, 100),
        55,
        List.of(),
        Map.of(),
        new GroupStatus(new Leadership(1, self, true), members, 1, 1, 1, 1),
        Map.of(),
        new KvMetrics(0, 0, 0, 0, 0, false, 0),
        new NodeStatus.OverloadStatus(false, OverloadReading.IDLE),
        new NodeStatus.Disk(false, false, 0, false),
        0,
        new NodeStatus.Cluster(
            true, 10_000, ClusterLevel.first(), new Members(1, Map.of()), Map.of()));
  }

  private Map<String, String> publishAndCollect() {
    topics.run();
    Map<String, String> texts = new TreeMap<>();
    topics.values().forEach((topic, message) -> texts.put(topic, text(message)));
    return texts;
  }

  private static String text(Message message) {
    return new String(message.payload(), StandardCharsets.UTF_8);
  }

  @Test
  void shouldPublishValuesUnderTheTopicNamesOfOtherBrokers() {
    assertThat(publishAndCollect())
        .containsEntry("$SYS/broker/version", "FjordMQ version 1.2")
        .containsEntry("$SYS/broker/uptime", "93784 seconds")
        .containsEntry("$SYS/broker/clients/connected", "3")
        .containsEntry("$SYS/broker/clients/disconnected", "9")
        .containsEntry("$SYS/broker/clients/total", "12")
        .containsEntry("$SYS/broker/clients/expired", "2")
        .containsEntry("$SYS/broker/store/messages/count", "155")
        .containsEntry("$SYS/broker/retained messages/count", "55")
        .containsEntry("$SYS/broker/subscriptions/count", "15")
        .containsEntry("$SYS/broker/publish/messages/dropped", "7")
        .containsEntry("$SYS/brokers", "n1")
        .containsEntry("$SYS/brokers/n1/version", "1.2")
        .containsEntry("$SYS/brokers/n1/uptime", "1 days, 2 hours, 3 minutes, 4 seconds")
        .containsEntry("$SYS/brokers/n1/datetime", "2026-01-01T00:00:00Z")
        .containsEntry("$SYS/brokers/n1/stats/connections/max", "3");
  }

  @Test
  void shouldPublishAllTopicsFirstAndThenOnlyChangedOnes() {
    publishAndCollect();
    assertThat(published).hasSameSizeAs(topics.values().values());
    published.clear();
    publishAndCollect();
    assertThat(published).isEmpty();
    packets = 7;
    nowMillis += 10_000;
    publishAndCollect();
    assertThat(published)
        .extracting(message -> message.topic().name())
        .contains(
            "$SYS/broker/messages/received",
            "$SYS/broker/load/messages/received/1min",
            "$SYS/brokers/n1/datetime")
        .doesNotContain("$SYS/broker/version", "$SYS/broker/messages/sent");
  }

  @Test
  void shouldComputeAveragesAsMosquittoDoes() {
    LoadAverage load = new LoadAverage();
    load.update(100, 10_000);
    // 600 per minute, of which the 1-minute average includes 1 - e^(-1/6).
    assertThat(load.average(0)).isCloseTo(600 * (1 - Math.exp(-1 / 6.0)), within(1e-9));
    assertThat(load.average(2)).isCloseTo(600 * (1 - Math.exp(-1 / 90.0)), within(1e-9));
    for (int i = 2; i < 200; i++) {
      load.update(i * 100, 10_000);
    }
    assertThat(load.average(0)).isCloseTo(600, within(0.001));
  }

  @Test
  void shouldDisableEachTopicFamily() {
    SysTopics none = topics(new SysTopicsSettings(false, false, true, Duration.ofSeconds(10), ""));
    none.run();
    assertThat(none.values()).isEmpty();
    SysTopics emqx = topics(new SysTopicsSettings(false, true, true, Duration.ofSeconds(10), ""));
    emqx.run();
    assertThat(emqx.values().keySet()).allMatch(topic -> topic.startsWith("$SYS/brokers"));
  }

  @Test
  void shouldPublishTheDocumentedTopics() throws IOException {
    try (Stream<String> lines = Files.lines(DOCUMENT)) {
      TreeSet<String> documented =
          lines
              .filter(line -> line.startsWith("| `$SYS/"))
              .map(line -> line.split("`", -1)[1].replace("{node}", "n1"))
              .flatMap(SysTopicsTest::expandPeriods)
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(publishAndCollect().keySet()).isEqualTo(documented);
    }
  }

  private static Stream<String> expandPeriods(String topic) {
    return topic.endsWith("/1min")
        ? Stream.of("/1min", "/5min", "/15min").map(end -> topic.replace("/1min", end))
        : Stream.of(topic);
  }

  @Test
  void shouldReplaySysTopicsPageByPageAndLeaveOthersToTheStore() {
    publishAndCollect();
    List<String> asked = new ArrayList<>();
    SysRetained retained = new SysRetained(new RecordingRetainStore(asked), topics);
    assertThat(matchAll(retained, "", "$SYS/#")).hasSameSizeAs(topics.values().values());
    assertThat(matchAll(retained, "", "$SYS/+/version")).containsExactly("$SYS/broker/version");
    assertThat(matchAll(retained, "other", "$SYS/#")).as("of another tenant").isEmpty();
    assertThat(asked).isEmpty();
    matchAll(retained, "", "#");
    matchAll(retained, "", "$SYSTEM/#");
    assertThat(asked).containsExactly("#", "$SYSTEM/#");
  }

  private static List<String> matchAll(SysRetained retained, String tenant, String filter) {
    List<String> found = new ArrayList<>();
    byte[] cursor = null;
    do {
      RetainStore.Page page =
          retained.match(tenant, TopicFilter.parse(filter), cursor, 7, 1_000).join();
      assertThat(page.messages()).hasSizeLessThanOrEqualTo(7);
      page.messages().forEach(message -> found.add(message.topic().name()));
      cursor = page.cursor();
    } while (cursor != null);
    return found;
  }

  private record RecordingRetainStore(List<String> queriedFilters) implements RetainStore {
    @Override
    public CompletableFuture<PutOutcome> put(
        String tenant, Message message, RetainVersion retainVersion) {
      return CompletableFuture.completedFuture(PutOutcome.RETAINED);
    }

    @Override
    public CompletableFuture<Page> match(
        String tenant, TopicFilter filter, byte @Nullable [] cursor, int messages, int bytes) {
      queriedFilters.add(filter.pattern());
      return CompletableFuture.completedFuture(new Page(List.of(), null));
    }

    @Override
    public long count() {
      return 0;
    }
  }

  @Test
  void shouldWriteValidJson() {
    JsonWriter jsonWriter =
        new JsonWriter().with("a", "q\"b\\c\n\uD83D\uDE00").with("n", (String) null).with("x", 1);
    assertThat(jsonWriter.with("b", true))
        .hasToString("{\"a\":\"q\\\"b\\\\c\\u000a\\ud83d\\ude00\",\"n\":null,\"x\":1,\"b\":true}");
  }

  @Test
  void shouldPublishOnlyTopicsWithoutWildcards() {
    Pattern wildcard = Pattern.compile("[+#]");
    assertThat(publishAndCollect().keySet()).noneMatch(topic -> wildcard.matcher(topic).find());
  }
}
