package io.fjordmq.broker.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.UserProperty;
import io.fjordmq.testing.RecordBuilder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The user property traceparent, as W3C Trace Context defines it. */
class TraceParentTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String VALUE = "00-" + TRACE + "-" + SPAN + "-01";

  private static Message message(UserProperty... properties) {
    List<UserProperty> all = Arrays.asList(properties);
    return new Message(
        new Topic("t"),
        new byte[0],
        Qos.AT_MOST_ONCE,
        false,
        all.isEmpty()
            ? MessageProperties.NONE
            : RecordBuilder.from(MessageProperties.NONE)
                .with(MessageProperties::userProperties, all)
                .build(),
        "",
        0,
        Message.NEVER);
  }

  @Test
  void shouldReadTheUserProperty() {
    assertThat(
            TraceParent.of(
                message(
                    new UserProperty("other", "x"),
                    new UserProperty("traceparent", VALUE),
                    new UserProperty("tracestate", "a=b"))))
        .isEqualTo(new TraceParent(TRACE, SPAN, true));
    assertThat(TraceParent.of(message())).isNull();
    assertThat(TraceParent.of(message(new UserProperty("other", VALUE)))).isNull();
    UserProperty one = new UserProperty("traceparent", VALUE);
    assertThat(TraceParent.of(message(one, one))).as("several").isNull();
  }

  @Test
  void shouldReadTheSampledFlag() {
    assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-00"))
        .isEqualTo(new TraceParent(TRACE, SPAN, false));
    assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-03"))
        .isEqualTo(new TraceParent(TRACE, SPAN, true));
    assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-fe"))
        .isEqualTo(new TraceParent(TRACE, SPAN, false));
  }

  @Test
  void shouldAcceptNewerVersionsWithMoreFields() {
    TraceParent expected = new TraceParent(TRACE, SPAN, true);
    assertThat(TraceParent.parse("cc-" + TRACE + "-" + SPAN + "-01")).isEqualTo(expected);
    assertThat(TraceParent.parse("cc-" + TRACE + "-" + SPAN + "-01-more")).isEqualTo(expected);
    assertThat(TraceParent.parse("cc-" + TRACE + "-" + SPAN + "-01more")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333g-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
        "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      })
  void shouldIgnoreInvalidValues(String value) {
    assertThat(TraceParent.parse(value)).isNull();
  }
}
