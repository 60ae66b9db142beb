package io.fjordmq.broker.topicmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.broker.topicmetrics.TopicMetricsException.Kind;
import io.fjordmq.cluster.metadata.Change;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The registered topics of two nodes. */
class TopicMetricsTest {
  private final TestTopicMetrics test = new TestTopicMetrics();
  private final TopicMetrics here = test.open();
  private final TopicMetrics there = test.open();

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
    RegisteredTopic added = TestTopicMetrics.get(here.add("t", "a"));
    assertThat(added).isEqualTo(new RegisteredTopic("t", "a", test.now(), null));
    TestTopicMetrics.get(here.add("", "b"));
    assertThat(there.list("t")).containsExactly(added);
    assertThat(test.open().find("t", "a")).isEqualTo(added);
    assertThat(there.find("other", "a")).isNull();
    publish();
    assertThat(there.traffic().read()).hasSize(2);
    TestTopicMetrics.get(there.remove("t", "a"));
    assertThat(here.list("t")).isEmpty();
    TestTopicMetrics.fails(here.remove("t", "a"), Kind.NOT_FOUND);
    TestTopicMetrics.fails(here.reset("t", "a"), Kind.NOT_FOUND);
  }

  @Test
  void shouldResetCountersOnEveryNode() {
    TestTopicMetrics.get(here.add("t", "a"));
    publish();
    assertThat(published()).isEqualTo(1L);
    test.advance(Duration.ofSeconds(1));
    TestTopicMetrics.get(here.reset("t", "a"));
    assertThat(published()).isEqualTo(0L);
    assertThat(there.list("t").get(0).resetAt()).isEqualTo(test.now());
    publish();
    test.advance(Duration.ofSeconds(1));
    TestTopicMetrics.get(here.resetAll("other"));
    assertThat(published()).isEqualTo(1L);
    TestTopicMetrics.get(here.resetAll("t"));
    assertThat(published()).isEqualTo(0L);
  }

  @Test
  void shouldRefuseTopicsThatAreRegisteredTooLongOrTooMany() {
    TestTopicMetrics.get(here.add("t", "a"));
    TestTopicMetrics.fails(there.add("t", "a"), Kind.EXISTS);
    assertThat(TestTopicMetrics.fails(here.add("t", "é".repeat(513)), Kind.INVALID))
        .isEqualTo("topic must be at most 1024 bytes long in UTF-8, not 1026");
    for (int i = 1; i < TopicMetrics.MAX_TOPICS; i++) {
      TestTopicMetrics.get(here.add("t", "a/" + i));
    }
    TestTopicMetrics.fails(here.add("t", "one/more"), Kind.FULL);
    assertThat(there.list("t")).hasSize(TopicMetrics.MAX_TOPICS);
    TestTopicMetrics.get(here.resetAll("t"));
  }

  @Test
  void shouldIgnoreRecordsThatItCannotRead() {
    TestTopicMetrics.get(
        test.metadata.write(
            List.of(Change.put(StoredTopic.key("t", "a"), new byte[] {9}, Change.ABSENT))));
    assertThat(here.list("t")).isEmpty();
    TestTopicMetrics.fails(here.reset("t", "a"), Kind.UNAVAILABLE);
    TestTopicMetrics.get(here.remove("t", "a"));
  }
}
