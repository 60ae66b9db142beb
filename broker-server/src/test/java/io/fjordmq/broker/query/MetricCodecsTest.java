package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.slow.SlowSubscription;
import io.fjordmq.broker.topicmetrics.TopicReading;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The bytes between nodes about slow subscriptions and topic metrics. */
class MetricCodecsTest {
  private static final HexFormat HEX = HexFormat.of();

  @Test
  void shouldKeepTheBytesOfSlowSubscriptions() {
    SlowSubscriptionCodec.Call list = new SlowSubscriptionCodec.Call(false, null);
    SlowSubscriptionCodec.Call clear = new SlowSubscriptionCodec.Call(true, "t");
    assertThat(HEX.formatHex(SlowSubscriptionCodec.encode(list))).isEqualTo("010100");
    assertThat(HEX.formatHex(SlowSubscriptionCodec.encode(clear))).isEqualTo("0102010174");
    assertThat(SlowSubscriptionCodec.decode(HEX.parseHex("010100"))).isEqualTo(list);
    assertThat(SlowSubscriptionCodec.decode(HEX.parseHex("0102010174"))).isEqualTo(clear);
    List<SlowSubscription> slow = List.of(new SlowSubscription("t", "c", "a", 500, 1_000));
    String bytes = "01" + "01" + "0174" + "0163" + "0161" + "f403" + "e807";
    assertThat(HEX.formatHex(SlowSubscriptionCodec.encode(slow))).isEqualTo(bytes);
    assertThat(SlowSubscriptionCodec.decodeResponse(HEX.parseHex(bytes))).isEqualTo(slow);
  }

  @Test
  void shouldKeepTheBytesOfTopicMetrics() {
    assertThat(HEX.formatHex(TopicMetricCodec.encodeRequest("t"))).isEqualTo("010174");
    assertThat(TopicMetricCodec.decodeRequest(HEX.parseHex("010174"))).isEqualTo("t");
    TopicReading reading = TopicReading.empty();
    reading.counts()[0] = 300;
    reading.rates()[0] = 1;
    String zero = "00" + "0000000000000000";
    String bytes = "01" + "01" + "0161" + "07" + "ac02" + "3ff0000000000000" + zero.repeat(6);
    assertThat(HEX.formatHex(TopicMetricCodec.encode(Map.of("a", reading)))).isEqualTo(bytes);
    TopicReading read =
        Objects.requireNonNull(TopicMetricCodec.decodeResponse(HEX.parseHex(bytes)).get("a"));
    assertThat(read.byName()).isEqualTo(reading.byName());
  }

  @Test
  void shouldIgnoreCountersOfNewerNodes() {
    String zero = "00" + "0000000000000000";
    String bytes = "01" + "01" + "0161" + "08" + zero.repeat(8);
    assertThat(TopicMetricCodec.decodeResponse(HEX.parseHex(bytes))).containsOnlyKeys("a");
  }

  @Test
  void shouldRejectNewerVersionsAndKinds() {
    for (String bytes : List.of("020100", "010300")) {
      assertThatThrownBy(() -> SlowSubscriptionCodec.decode(HEX.parseHex(bytes)))
          .isInstanceOf(NewerFormatException.class);
    }
    assertThatThrownBy(() -> SlowSubscriptionCodec.decode(HEX.parseHex("01010000")))
        .isInstanceOf(MalformedBytesException.class);
    assertThatThrownBy(() -> SlowSubscriptionCodec.decodeResponse(HEX.parseHex("0200")))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> TopicMetricCodec.decodeRequest(HEX.parseHex("0200")))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> TopicMetricCodec.decodeResponse(HEX.parseHex("0200")))
        .isInstanceOf(NewerFormatException.class);
  }
}
