package io.fjordmq.retain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes that are stored and sent never change for a version. */
class StoredBytesTest {
  @Test
  void shouldKeepTheStoredFormats() {
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(RetainKeys.of("t", "a/b"))).isEqualTo("59000174612f62");
    RetainPublisher retainPublisher = RetainPublisher.of("a", new RetainVersion(3, 300));
    String written = "af63dc4c8601ec8c" + "03" + "ac02";
    byte[] key = {7};
    assertThat(hex.formatHex(new RetainRow(300, retainPublisher, new byte[] {9, 8}).encode()))
        .isEqualTo("02" + "ac02" + written + "0908");
    assertThat(hex.formatHex(RetainRow.clearMarker(300, retainPublisher).encode()))
        .isEqualTo("02" + "ac02" + written);
    long any = PutMessage.UNLIMITED;
    assertThat(
            hex.formatHex(
                new PutMessage(key, 300, true, any, retainPublisher, new byte[] {9}).encode()))
        .isEqualTo("020101" + "ac02" + written + "0107" + "09");
    assertThat(
            hex.formatHex(
                new PutMessage(key, 300, false, 5, RetainPublisher.NONE, new byte[] {9}).encode()))
        .isEqualTo("020102" + "ac02" + "05" + "00000000000000000000" + "0107" + "09");
    assertThat(hex.formatHex(new ClearTopic(key, retainPublisher).encode()))
        .isEqualTo("0202" + written + "0107");
    assertThat(hex.formatHex(new ExpireMessages(256).encode())).isEqualTo("02038002");
  }
}
