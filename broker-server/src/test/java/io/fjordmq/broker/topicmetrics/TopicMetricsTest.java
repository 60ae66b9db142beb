package io.fjordmq.broker.topicmetrics;

import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.broker.records.RecordException.Kind;
import io.fjordmq.broker.records.TestRecords;
import io.fjordmq.cluster.metadata.Change;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The registered topics of two nodes. */
class TopicMetricsTest {
  private final TestRecords test = new TestRecords();
  private final TopicMetrics here = TestTopicMetrics.open(test);
  private final TopicMetrics there = TestTopicMetrics.open(test);

  @AfterEach
  void close() {
    test.close();
  }

  private void publish() {
    there.traffic().onPublished("t", new Topic("a"), Qos.AT_LEAST_ONCE);
  }

  private Number published() {
    return Objects.requireNonNull(
        there.traffic().read().get(0).messages().byName().get("messages.in.count"));
  }

  @Test
  void shouldReplicateRegisteredTopics() {
    RegisteredTopic added = get(here.add("t", "a"));
    assertThat(added).isEqualTo(new RegisteredTopic("t", "a", test.now(), null));
    get(here.add("", "b"));
    assertThat(there.list("t")).containsExactly(added);
    assertThat(TestTopicMetrics.open(test).find("t", "a")).isEqualTo(added);
    assertThat(there.find("other", "a")).isNull();
    publish();
    assertThat(there.traffic().read()).hasSize(2);
    get(there.remove("t", "a"));
    assertThat(here.list("t")).isEmpty();
    fails(here.remove("t", "a"), Kind.NOT_FOUND);
    fails(here.reset("t", "a"), Kind.NOT_FOUND);
  }

  @Test
  void shouldResetCountersOnEveryNode() {
    get(here.add("t", "a"));
    publish();
    assertThat(published()).isEqualTo(1L);
    test.advance(Duration.ofSeconds(1));
    get(here.reset("t", "a"));
    assertThat(published()).isEqualTo(0L);
    assertThat(there.list("t").get(0).resetAt()).isEqualTo(test.now());
    publish();
    test.advance(Duration.ofSeconds(1));
    get(here.resetAll("other"));
    assertThat(published()).isEqualTo(1L);
    get(here.resetAll("t"));
    assertThat(published()).isEqualTo(0L);
  }

  @Test
  void shouldRefuseTopicsThatAreRegisteredTooLongOrTooMany() {
    get(here.add("t", "a"));
    fails(there.add("t", "a"), Kind.EXISTS);
    assertThat(fails(here.add("t", "é".repeat(513)), Kind.INVALID))
        .isEqualTo("topic must be at most 1024 bytes long in UTF-8, not 1026");
    for (int i = 1; i < TopicMetrics.MAX_TOPICS; i++) {
      get(here.add("t", "a/" + i));
    }
    fails(here.add("t", "one/more"), Kind.FULL);
    assertThat(fails(here.add("t", "one/more", 64), Kind.FULL))
        .startsWith("the tenant has 64 registered topics");
    assertThat(there.list("t")).hasSize(TopicMetrics.MAX_TOPICS);
    get(here.resetAll("t"));
  }

  @Test
  void shouldIgnoreRecordsThatItCannotRead() {
    get(
        test.metadata.write(
            List.of(Change.put(StoredTopic.key("t", "a"), new byte[] {9}, Change.ABSENT))));
    assertThat(here.list("t")).isEmpty();
    fails(here.reset("t", "a"), Kind.UNAVAILABLE);
    get(here.remove("t", "a"));
  }
}
