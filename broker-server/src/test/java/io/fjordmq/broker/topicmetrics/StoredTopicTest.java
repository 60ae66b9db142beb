package io.fjordmq.broker.topicmetrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of registered topics in the metadata. */
class StoredTopicTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final Instant AT = Instant.ofEpochMilli(1_000);
  private static final RegisteredTopic NEW = new RegisteredTopic("t", "a/b", AT, null);
  private static final RegisteredTopic RESET =
      new RegisteredTopic("", "a/b", AT, AT.plusSeconds(1));

  @Test
  void shouldKeepTheBytes() {
    assertThat(HEX.formatHex(StoredTopic.encode(NEW))).isEqualTo("01017403612f62e80700");
    assertThat(HEX.formatHex(StoredTopic.encode(RESET))).isEqualTo("010003612f62e807d00f");
    assertThat(StoredTopic.decode(StoredTopic.encode(NEW))).isEqualTo(NEW);
    assertThat(StoredTopic.decode(StoredTopic.encode(RESET))).isEqualTo(RESET);
  }

  @Test
  void shouldKeepTheKeys() {
    assertThat(StoredTopic.key("t", "a"))
        .as("SHA-256 of the bytes 01 74 01 61")
        .isEqualTo("topic-metric/d54750a05def57dceda488b45ed9a8ae4e47c8590e0cfb42feeeaa1e4cf6a04c");
    assertThat(StoredTopic.key("", "ta")).isNotEqualTo(StoredTopic.key("t", "a"));
  }

  @Test
  void shouldRejectOtherBytes() {
    assertThatThrownBy(() -> StoredTopic.decode(HEX.parseHex("02")))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> StoredTopic.decode(HEX.parseHex("0101740161e8070000")))
        .isInstanceOf(MalformedBytesException.class);
  }
}
