package io.fjordmq.broker.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.ops.ClientTraffic;
import io.fjordmq.broker.ops.LatencyHistogram;
import io.fjordmq.broker.ops.LatencyHistogram.Bucket;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Samples of a node whose values and time the test controls. */
class SamplerTest {
  private static final long START = 1_800_000_000_000L;

  private long millis;
  private long messages;
  private long connected = 4;
  private long acknowledged;
  private long cpuNanos;
  private final Sampler sampler =
      new Sampler(
          TestMonitor.source(this::gauges, this::acknowledgements, () -> cpuNanos),
          () -> Instant.ofEpochMilli(START + millis),
          () -> millis * 1_000_000);

  private Gauges gauges() {
    return TestMonitor.gauges(
        new ClientTraffic(
            connected, 2, 0, 0, 0, 0, 0, messages * 10, 0, messages, 2 * messages, 1, 0, 0),
        55,
        new Gauges.Disk(30, 120));
  }

  private LatencyHistogram acknowledgements() {
    return new LatencyHistogram(
        List.of(new Bucket(1_000_000, acknowledged), new Bucket(2_000_000, acknowledged)),
        acknowledged);
  }

  private void run(int seconds) {
    for (int i = 0; i < seconds; i++) {
      millis += 1_000;
      sampler.tick();
    }
  }

  @Test
  void shouldSampleAtMultiplesOfTenSeconds() {
    millis = 3_400;
    run(6); // the first reading; there is nothing to compare it with yet
    assertThat(sampler.latest(3_600)).isEmpty();
    messages = 500;
    acknowledged = 100;
    cpuNanos = 1_000_000_000;
    run(10);
    assertThat(sampler.latest(3_600)).hasSize(1);
    Sample sample = sampler.latest(3_600).get(0);
    assertThat(sample.timeMillis()).isEqualTo(START + 10_000);
    assertThat(sample.value(Series.CONNECTIONS)).isEqualTo(4);
    assertThat(sample.value(Series.LIVE_CONNECTIONS)).isEqualTo(4);
    assertThat(sample.value(Series.DISCONNECTED_DURABLE_SESSIONS)).isEqualTo(2);
    assertThat(sample.value(Series.SUBSCRIPTIONS)).isEqualTo(13);
    assertThat(sample.value(Series.TOPICS)).isEqualTo(9);
    assertThat(sample.value(Series.RETAINED_MESSAGES)).isEqualTo(55);
    assertThat(sample.value(Series.RECEIVED)).isEqualTo(500);
    assertThat(sample.value(Series.RECEIVED_BYTES)).isEqualTo(5_000);
    assertThat(sample.value(Series.SENT)).isEqualTo(1_000);
    assertThat(sample.value(Series.DROPPED)).isZero();
    assertThat(sample.value(Series.HEAP_PERCENT)).isEqualTo(41);
    assertThat(sample.value(Series.DISK_PERCENT)).isEqualTo(25);
    assertThat(sample.value(Series.PUBLISH_ACK_P50)).isEqualTo(500);
    assertThat(sample.value(Series.PUBLISH_ACK_P99)).isEqualTo(990);
    int processors = Runtime.getRuntime().availableProcessors();
    assertThat(sample.value(Series.CPU_PERCENT)).isEqualTo(Math.round(100.0 / 6 / processors));
  }

  @Test
  void shouldNotKnowTheHeapBeforeTheFirstCollection() {
    Gauges all = gauges();
    Gauges early =
        new Gauges(all.traffic(), all.inboxes(), all.topics(), all.retained(), 0, all.disk());
    assertThat(early.sample(START).build().value(Series.HEAP_PERCENT)).isEqualTo(Series.UNKNOWN);
  }

  @Test
  void shouldKeepTheLastHour() {
    run(2 * 3_600);
    List<Sample> all = sampler.latest(10_000);
    assertThat(all).hasSize(360);
    assertThat(all.get(359).timeMillis()).isEqualTo(START + 7_200_000);
    assertThat(all.get(0).timeMillis()).isEqualTo(START + 7_200_000 - 3_590_000);
    assertThat(sampler.latest(60)).hasSize(6).isEqualTo(all.subList(354, 360));
    assertThat(all.get(0).value(Series.PUBLISH_ACK_P50)).isEqualTo(Series.UNKNOWN);
  }

  @Test
  void shouldShowCurrentGaugesAndTheRatesOfTheLatestInterval() {
    run(10);
    messages = 500;
    acknowledged = 1;
    run(10);
    connected = 6;
    messages = 9_999;
    run(5);
    assertThat(sampler.current())
        .containsEntry("connections", 6L)
        .containsEntry("received_msg_rate", 50L)
        .containsEntry("sent_msg_rate", 100L)
        .containsEntry("dropped_msg_rate", 0L)
        .containsEntry("publish_ack_p50_micros", 500L)
        .doesNotContainKeys("received", "sent");
  }

  @Test
  void shouldNotSampleAgainIfClusterTimeIsCorrectedBackward() {
    run(20);
    millis -= 500;
    sampler.tick();
    run(1);
    assertThat(sampler.latest(3_600)).hasSize(2);
  }
}
