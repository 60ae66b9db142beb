package io.fjordmq.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of traces in the metadata and between nodes. */
class StoredTraceTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final Instant AT = Instant.ofEpochMilli(1_000);
  private static final Trace FULL =
      new Trace(
          "n-1",
          TraceType.IP_ADDRESS,
          "10.0.0.7",
          "t",
          PayloadEncoding.HEX,
          "ann",
          AT,
          AT.plusMillis(1),
          AT.plusMillis(1_000),
          TraceFormat.TEXT);
  private static final String FULL_BYTES =
      "01" // version
          + "03" // address
          + "03" // hexadecimal
          + "01" // has tenant
          + "036e2d31" // n-1
          + "0831302e302e302e37" // 10.0.0.7
          + "0174" // t
          + "03616e6e" // ann
          + "e807" // created at 1,000
          + "e907" // from 1,001
          + "d00f"; // until 2,000

  @Test
  void shouldKeepTheBytes() {
    assertThat(HEX.formatHex(StoredTrace.encode(FULL))).isEqualTo(FULL_BYTES);
    assertThat(StoredTrace.decode(HEX.parseHex(FULL_BYTES))).isEqualTo(FULL);
    assertThat(List.of(TraceType.values()))
        .containsExactly(TraceType.CLIENTID, TraceType.TOPIC, TraceType.IP_ADDRESS);
    assertThat(List.of(PayloadEncoding.values()))
        .containsExactly(PayloadEncoding.HIDDEN, PayloadEncoding.TEXT, PayloadEncoding.HEX);
    Trace plain =
        new Trace(
            "é",
            TraceType.TOPIC,
            "a/#",
            null,
            PayloadEncoding.HIDDEN,
            "",
            AT,
            AT,
            AT,
            TraceFormat.JSON);
    assertThat(StoredTrace.decode(StoredTrace.encode(plain))).isEqualTo(plain);
    assertThat(StoredTrace.encode(plain)[3]).as("written as JSON").isEqualTo((byte) 2);
    assertThat(StoredTrace.key(null, "n-1")).isEqualTo("trace/n-1");
    assertThat(StoredTrace.key("t", "n-1")).isEqualTo("trace/e3b98a4da31a127d4bde6e43033f66ba/n-1");
    assertThat(FULL.fileName()).isEqualTo("n-1-e3b98a4da31a127d4bde6e43033f66ba-1000");
    assertThat(Trace.FILE_NAME.matcher(FULL.fileName()).matches()).isTrue();
  }

  @Test
  void shouldRejectOtherBytes() {
    byte[] bytes = StoredTrace.encode(FULL);
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> StoredTrace.decode(cut)).isInstanceOf(MalformedBytesException.class);
    }
    for (int i = 0; i < 4; i++) {
      byte[] newer = bytes.clone();
      newer[i] = 9;
      assertThatThrownBy(() -> StoredTrace.decode(newer)).isInstanceOf(NewerFormatException.class);
    }
  }

  @Test
  void shouldKeepTheBytesBetweenNodes() {
    assertThat(HEX.formatHex(new TraceCall.ListFiles().encode())).isEqualTo("0103");
    TraceCall.ReadFile read = new TraceCall.ReadFile("f-1", 300, 1_000);
    assertThat(HEX.formatHex(read.encode())).isEqualTo("0102" + "03662d31" + "ac02" + "e807");
    assertThat(TraceCall.decode(read.encode())).isEqualTo(read);
    assertThat(TraceCall.decode(new byte[] {1, 3})).isEqualTo(new TraceCall.ListFiles());
    List<TraceFiles.Info> files = List.of(new TraceFiles.Info("f-1", 300, 1_000, "full"));
    byte[] listed = TraceCall.ListFiles.encodeResponse(files);
    assertThat(HEX.formatHex(listed))
        .isEqualTo("01" + "01" + "03662d31" + "ac02" + "e807" + "0466756c6c");
    assertThat(TraceCall.ListFiles.decodeResponse(listed)).isEqualTo(files);
    byte[] part = TraceCall.ReadFile.encodeResponse(new TraceFiles.Part(300, new byte[] {7}));
    assertThat(HEX.formatHex(part)).isEqualTo("01" + "ac02" + "0107");
    assertThat(TraceCall.ReadFile.decodeResponse(part).bytes()).containsExactly(7);
    assertThatThrownBy(() -> TraceCall.decode(new byte[] {1, 9}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> TraceCall.decode(new byte[] {2, 1}))
        .isInstanceOf(NewerFormatException.class);
  }
}
