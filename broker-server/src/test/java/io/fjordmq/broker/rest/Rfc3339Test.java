package io.fjordmq.broker.rest;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Rfc3339Test {
  @ParameterizedTest
  @CsvSource({
    "2026-01-31T12:00:00Z, 2026-01-31T12:00:00Z",
    "2026-01-31t12:00:00.5z, 2026-01-31T12:00:00.500Z",
    "2026-01-31T12:00:00+01:30, 2026-01-31T10:30:00Z",
    "2026-01-31T12:00:00-23:59, 2026-02-01T11:59:00Z",
    "0000-01-01T00:00:00+23:59, -0001-12-31T00:01:00Z",
    "2024-02-29T00:00:00-00:00, 2024-02-29T00:00:00Z"
  })
  void shouldParse(String text, String expected) {
    assertThat(Rfc3339.parse(text)).hasToString(expected);
  }

  @Test
  void shouldFormatLikeTheTimeItself() {
    Random random = new Random(5);
    List<Instant> times =
        new ArrayList<>(
            List.of(
                Instant.EPOCH,
                Instant.MIN,
                Instant.MAX,
                Instant.parse("0000-01-01T00:00:00.001Z"),
                Instant.parse("-0001-12-31T23:59:59.999Z"),
                Instant.parse("9999-12-31T23:59:59.999Z"),
                Instant.parse("2024-02-29T01:02:03.000001Z")));
    for (int i = 0; i < 10_000; i++) {
      times.add(Instant.ofEpochMilli(random.nextLong() >> random.nextInt(64)));
    }
    times.forEach(
        time -> assertThat(new String(Rfc3339.format(time), US_ASCII)).isEqualTo(time.toString()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026-01-31",
        "2026-01-31T12:00:00",
        "2026-02-29T12:00:00Z",
        "2026-01-31T24:00:01Z",
        "2026-01-31T12:00:00+24:00",
        "2026-01-31T12:00:00+0100",
        "12026-01-31T12:00:00Z",
        "+2026-01-31T12:00:00Z",
        "infinity"
      })
  void shouldRefuse(String text) {
    assertThatThrownBy(() -> Rfc3339.parse(text)).isInstanceOf(DateTimeException.class);
  }
}
