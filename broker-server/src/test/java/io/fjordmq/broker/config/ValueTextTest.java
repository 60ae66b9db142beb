package io.fjordmq.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ValueTextTest {
  private enum Sample {
    ROUND_ROBIN,
    STICKY
  }

  @Test
  void shouldParseNumbersSizesDurationsAndEnumConstants() {
    assertThat(ValueText.parse("30_000", int.class)).isEqualTo(30_000);
    assertThat(ValueText.parse("64 KiB", long.class)).isEqualTo(65_536L);
    assertThat(ValueText.parse("1500 ms", Duration.class)).isEqualTo(Duration.ofMillis(1_500));
    assertThat(ValueText.parse("2h", Duration.class)).isEqualTo(Duration.ofHours(2));
    assertThat(ValueText.parse("round-robin", Sample.class)).isEqualTo(Sample.ROUND_ROBIN);
    assertThat(ValueText.parse("TRUE", boolean.class)).isEqualTo(true);
  }

  @Test
  void shouldRejectNumbersOutOfRange() {
    assertRejected("3 GiB", int.class, "must be between -2147483648 and 2147483647");
    assertRejected("99999999999999999999", long.class, "is out of range");
    assertRejected("9223372036854775807 GiB", long.class, "is out of range");
    assertRejected("", int.class, "must be a whole number");
    assertRejected("5 MB", int.class, "must be a whole number");
  }

  @Test
  void shouldListTheAllowedEnumConstants() {
    assertRejected("fair", Sample.class, "must be one of round_robin, sticky, not 'fair'");
  }

  @Test
  void shouldPrintValuesInTheFormatItParses() {
    for (Duration time : new Duration[] {Duration.ofMillis(250), Duration.ofMinutes(1)}) {
      assertThat(ValueText.parse(ValueText.print(time), Duration.class)).isEqualTo(time);
    }
  }

  @Test
  void shouldSuggestSizesOnlyForSizes() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ValueText.parse("x", int.class, "httpConfig.port"))
        .withMessage("must be a whole number, not 'x'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ValueText.parse("x", int.class, "httpConfig.maxBodyBytes"))
        .withMessageContaining("a size such as 64 KiB");
    assertThat(ValueText.parse("1883", int.class, "mqttServerConfig.tcpListener.port"))
        .isEqualTo(1_883);
  }

  private static void assertRejected(String text, Class<?> type, String reason) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ValueText.parse(text, type))
        .withMessageContaining(reason);
  }
}
