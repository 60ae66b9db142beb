package io.fjordmq.broker.alarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.alarms.AlarmCodec.Request;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bytes between nodes. Changing them requires a new version or kind. */
class AlarmCodecTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final List<Alarm> ALARMS =
      List.of(
          new Alarm("n", "s", true, "m", Map.of("k", "v"), Instant.ofEpochMilli(300), null),
          new Alarm(
              "o", "", false, "", Map.of(), Instant.ofEpochMilli(1), Instant.ofEpochMilli(2)));
  private static final String BYTES =
      "01"
          + "02"
          + "016e"
          + "0173"
          + "01"
          + "016d"
          + "01016b0176"
          + "ac02"
          + "00"
          + "016f"
          + "00"
          + "00"
          + "00"
          + "00"
          + "01"
          + "02";

  @Test
  void shouldKeepTheFormatOfAlarms() {
    assertThat(HEX.formatHex(AlarmCodec.encode(ALARMS))).isEqualTo(BYTES);
    assertThat(AlarmCodec.decode(HEX.parseHex(BYTES))).isEqualTo(ALARMS);
  }

  @Test
  void shouldKeepTheFormatOfRequests() {
    assertThat(HEX.formatHex(Request.LIST_ALARMS.encode())).isEqualTo("0101");
    assertThat(HEX.formatHex(Request.CLEAR.encode())).isEqualTo("0102");
    assertThat(HEX.formatHex(AlarmCodec.encodeCleared())).isEqualTo("01");
    for (Request request : Request.values()) {
      assertThat(Request.decode(request.encode())).isEqualTo(request);
    }
    assertThat(AlarmCodec.decodeCleared(AlarmCodec.encodeCleared())).isTrue();
  }

  @Test
  void shouldRejectNewerFormats() {
    assertThatThrownBy(() -> Request.decode(new byte[] {2, 1}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> Request.decode(new byte[] {1, 3}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> AlarmCodec.decode(new byte[] {2}))
        .isInstanceOf(NewerFormatException.class);
  }
}
