package io.fjordmq.broker.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.logging.LogLevelCall.ListLevels;
import io.fjordmq.broker.logging.LogLevelCall.ResetLevel;
import io.fjordmq.broker.logging.LogLevelCall.SetLevel;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bytes between nodes. */
class LogLevelCallTest {
  private static final HexFormat HEX = HexFormat.of();

  private static Map<LogLevelCall, String> goldenRequests() {
    Map<LogLevelCall, String> requests = new LinkedHashMap<>();
    requests.put(new ListLevels(), "0101");
    requests.put(new SetLevel("a.b", LogLevel.DEBUG, null), "010203612e620400");
    requests.put(new SetLevel("a", LogLevel.OFF, Duration.ofSeconds(1)), "0102016100e807");
    requests.put(new ResetLevel("a"), "01030161");
    return requests;
  }

  private static final List<LoggerLevel> LEVELS =
      List.of(
          new LoggerLevel("a", LogLevel.WARN, false, null),
          new LoggerLevel("b", LogLevel.TRACE, true, Instant.ofEpochMilli(1_000)));
  private static final String GOLDEN_LEVELS = "0102" + "0161020000" + "01620501e807";

  @Test
  void shouldWriteAndReadRequests() {
    goldenRequests()
        .forEach(
            (call, hex) -> {
              assertThat(HEX.formatHex(call.encode())).isEqualTo(hex);
              assertThat(LogLevelCall.decode(HEX.parseHex(hex))).isEqualTo(call);
            });
  }

  @Test
  void shouldWriteAndReadResponses() {
    byte[] bytes = LogLevelCall.encodeResponse(LEVELS);
    assertThat(HEX.formatHex(bytes)).isEqualTo(GOLDEN_LEVELS);
    assertThat(LogLevelCall.decodeResponse(bytes)).isEqualTo(LEVELS);
  }

  @Test
  void shouldRejectNewerFormatsAndMalformedBytes() {
    for (String newer : new String[] {"0201", "0104"}) {
      assertThatThrownBy(() -> LogLevelCall.decode(HEX.parseHex(newer)))
          .isInstanceOf(NewerFormatException.class);
    }
    assertThatThrownBy(() -> LogLevelCall.decodeResponse(HEX.parseHex("0200")))
        .isInstanceOf(NewerFormatException.class);
    for (String malformed : new String[] {"", "0102016109", "010100", "01020161"}) {
      assertThatThrownBy(() -> LogLevelCall.decode(HEX.parseHex(malformed)))
          .isInstanceOf(MalformedBytesException.class);
    }
  }
}
