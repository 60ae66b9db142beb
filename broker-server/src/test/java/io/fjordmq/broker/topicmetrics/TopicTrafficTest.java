package io.fjordmq.broker.topicmetrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicTrafficTest {
  private static final Topic TOPIC = new Topic("a/b");
  private static final RegisteredTopic REGISTERED =
      new RegisteredTopic("t", "a/b", Instant.EPOCH, null);

  private final TopicTraffic traffic = new TopicTraffic();

  private Map<String, Number> metrics() {
    assertThat(traffic.read()).hasSize(1);
    return traffic.read().get(0).messages().byName();
  }

  private void send() {
    traffic.onPublished("t", TOPIC, Qos.AT_MOST_ONCE);
    traffic.onPublished("t", TOPIC, Qos.EXACTLY_ONCE);
    traffic.onSent("t", TOPIC, Qos.AT_LEAST_ONCE);
    traffic.onDropped("t", TOPIC, 5);
  }

  @Test
  void shouldCountOnlyRegisteredTopics() {
    send();
    assertThat(traffic.isCounting()).isFalse();
    assertThat(traffic.read()).isEmpty();
    traffic.replace(List.of(REGISTERED));
    send();
    traffic.onPublished("other", TOPIC, Qos.AT_MOST_ONCE);
    traffic.onPublished("t", new Topic("a"), Qos.AT_MOST_ONCE);
    assertThat(metrics())
        .containsEntry("messages.in.count", 2L)
        .containsEntry("messages.qos0.in.count", 1L)
        .containsEntry("messages.qos1.in.count", 0L)
        .containsEntry("messages.qos2.in.count", 1L)
        .containsEntry("messages.out.count", 1L)
        .containsEntry("messages.qos1.out.count", 1L)
        .containsEntry("messages.dropped.count", 5L);
  }

  @Test
  void shouldCountTenantsSeparately() {
    traffic.replace(List.of(REGISTERED, new RegisteredTopic("u", "a/b", Instant.EPOCH, null)));
    traffic.onSent("u", TOPIC, Qos.AT_MOST_ONCE);
    assertThat(traffic.read())
        .extracting(
            reading -> reading.tenant() + reading.messages().byName().get("messages.out.count"))
        .containsExactlyInAnyOrder("t0", "u1");
  }

  @Test
  void shouldMeasureRates() {
    traffic.replace(List.of(REGISTERED));
    send();
    traffic.sampleRates(2);
    assertThat(metrics())
        .containsEntry("messages.in.rate", 1.0)
        .containsEntry("messages.qos2.in.rate", 0.5)
        .containsEntry("messages.dropped.rate", 2.5);
    traffic.sampleRates(2);
    assertThat(metrics()).containsEntry("messages.in.rate", 0.0);
  }

  @Test
  void shouldKeepCountersUntilTheTopicIsReset() {
    traffic.replace(List.of(REGISTERED));
    send();
    traffic.replace(List.of(REGISTERED, new RegisteredTopic("t", "x", Instant.EPOCH, null)));
    traffic.replace(List.of(REGISTERED));
    assertThat(metrics()).containsEntry("messages.in.count", 2L);
    traffic.replace(
        List.of(new RegisteredTopic("t", "a/b", Instant.EPOCH, Instant.ofEpochMilli(1))));
    assertThat(metrics()).containsEntry("messages.in.count", 0L);
    traffic.replace(List.of());
    assertThat(traffic.isCounting()).isFalse();
  }
}
