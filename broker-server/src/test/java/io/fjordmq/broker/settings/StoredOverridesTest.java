package io.fjordmq.broker.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bytes of the values set through the API. */
class StoredOverridesTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final Map<String, String> TWO = Map.of("b.c", "64 KiB", "a", "1");
  private static final String BYTES =
      "01" // version
          + "02" // two values
          + "0161"
          + "0131" // a: 1
          + "03622e63"
          + "063634204b6942"; // b.c: 64 KiB

  @Test
  void shouldKeepTheBytes() {
    assertThat(HEX.formatHex(StoredOverrides.encode(TWO))).isEqualTo(BYTES);
    assertThat(StoredOverrides.decode(HEX.parseHex(BYTES))).isEqualTo(TWO);
    assertThat(StoredOverrides.decode(StoredOverrides.encode(Map.of()))).isEmpty();
  }

  @Test
  void shouldRefuseOtherBytes() {
    assertThatThrownBy(() -> StoredOverrides.decode(new byte[] {2}))
        .isInstanceOf(NewerFormatException.class);
    byte[] bytes = HEX.parseHex(BYTES);
    for (int length = 0; length < bytes.length; length++) {
      byte[] prefix = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> StoredOverrides.decode(prefix))
          .isInstanceOf(MalformedBytesException.class);
    }
  }
}
