package io.fjordmq.broker.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.monitor.MonitorCodec.Request;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bytes between nodes. Changing them requires a new version or kind. */
class MonitorCodecTest {
  private static final HexFormat HEX = HexFormat.of();

  @Test
  void shouldKeepTheFormatOfRequests() {
    assertThat(HEX.formatHex(new Request(MonitorCodec.SAMPLES, 300).encode()))
        .isEqualTo("0101ac02");
    assertThat(HEX.formatHex(new Request(MonitorCodec.CURRENT, 0).encode())).isEqualTo("0102");
    assertThat(HEX.formatHex(new Request(MonitorCodec.COUNTERS, 0).encode())).isEqualTo("0103");
    assertThat(Request.decode(HEX.parseHex("0101ac02")))
        .isEqualTo(new Request(MonitorCodec.SAMPLES, 300));
    assertThat(Request.decode(HEX.parseHex("0103")))
        .isEqualTo(new Request(MonitorCodec.COUNTERS, 0));
  }

  @Test
  void shouldKeepTheFormatOfValues() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("b", 300L);
    values.put("a", 0L);
    String bytes = "01" + "02" + "0162" + "ac02" + "0161" + "00";
    assertThat(HEX.formatHex(MonitorCodec.encode(values))).isEqualTo(bytes);
    assertThat(MonitorCodec.decodeValues(HEX.parseHex(bytes))).isEqualTo(values);
  }

  @Test
  void shouldReadTheSeriesThatItKnows() {
    byte[] bytes =
        new ByteWriter(64)
            .writeByte(1)
            .writeVarint(3)
            .writeString("a series of a later version")
            .writeString("sent")
            .writeString("received")
            .writeVarint(1)
            .writeVarint(10_000)
            .writeVarint(5)
            .writeVarint(8)
            .writeVarint(0)
            .toByteArray();
    Sample expected = Sample.at(10_000).set(Series.SENT, 7).build();
    assertThat(MonitorCodec.decodeSamples(bytes)).containsExactly(expected);
  }

  @Test
  void shouldReadWhatItWrites() {
    List<Sample> samples =
        List.of(
            Sample.at(10_000).set(Series.CONNECTIONS, 3).build(),
            Sample.at(20_000).set(Series.DROPPED, Long.MAX_VALUE - 1).build());
    assertThat(MonitorCodec.decodeSamples(MonitorCodec.encode(samples))).isEqualTo(samples);
    assertThat(HEX.formatHex(MonitorCodec.encode(List.<Sample>of())))
        .startsWith("01" + "10" + "0b" + HEX.formatHex("connections".getBytes()));
  }

  @Test
  void shouldRejectNewerAndMalformedFormats() {
    assertThatThrownBy(() -> Request.decode(new byte[] {1, 4}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> MonitorCodec.decodeSamples(new byte[] {2}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> MonitorCodec.decodeValues(new byte[] {1, 9}))
        .isInstanceOf(MalformedBytesException.class);
  }
}
