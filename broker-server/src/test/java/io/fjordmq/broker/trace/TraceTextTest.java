package io.fjordmq.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Values that clients choose cannot forge lines or fields. */
class TraceTextTest {
  private final StringBuilder line = new StringBuilder();
  private final TraceText out = new TraceText(line);

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldShowHarmlessValuesAsTheyAre() {
    out.word("PUBLISH").field("topic", "site/7/power").field("qos", 1).code("reason_code", 0x8A);
    assertThat(line).hasToString(" PUBLISH topic=site/7/power qos=1 reason_code=0x8A");
  }

  @Test
  void shouldQuoteEverythingElse() {
    out.field("client", "")
        .field("client", "a b")
        .field("client", "x\" qos=2\\")
        .field("client", "a=b")
        .field("client", "größe");
    assertThat(line)
        .hasToString(
            " client=\"\" client=\"a b\" client=\"x\\\" qos=2\\\\\" client=\"a=b\""
                + " client=\"größe\"");
  }

  @Test
  void shouldEscapeWhatEndsLinesOrControlsTerminals() {
    out.field("client", "a\n2030-01-01T00:00:00.000Z n1 event forged")
        .field("client", "\r\u001b[2J\u0085\u2028\u2029\u202e\u0000")
        .field("client", "\ud800");
    assertThat(line.chars().noneMatch(Character::isISOControl)).isTrue();
    assertThat(line)
        .hasToString(
            " client=\"a\\n2030-01-01T00:00:00.000Z n1 event forged\""
                + " client=\"\\u000d\\u001b[2J\\u0085\\u2028\\u2029\\u202e\\u0000\""
                + " client=\"\\ud800\"");
  }

  @Test
  void shouldShortenLongValues() {
    out.field("topic", "x".repeat(600));
    assertThat(line).hasToString(" topic=\"" + "x".repeat(512) + "...\"");
  }

  @Test
  void shouldShowPayloadsOnlyIfRequested() {
    byte[] payload = utf8("secret\n1");
    out.payload(payload, payload.length, PayloadEncoding.HIDDEN, 100);
    assertThat(line).hasToString(" payload_bytes=8");
    line.setLength(0);
    out.payload(payload, payload.length, PayloadEncoding.TEXT, 100);
    assertThat(line).hasToString(" payload_bytes=8 payload=\"secret\\n1\"");
    line.setLength(0);
    out.payload(payload, payload.length, PayloadEncoding.HEX, 2);
    assertThat(line).hasToString(" payload_bytes=8 payload=0x7365 truncated");
    line.setLength(0);
    out.payload(new byte[0], 0, PayloadEncoding.TEXT, 2);
    assertThat(line).hasToString(" payload_bytes=0");
  }
}
