package io.fjordmq.broker.bans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of bans in the metadata. */
class StoredBanTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final Instant AT = Instant.ofEpochMilli(1_000);
  private static final Ban FULL =
      new Ban(BanKind.PEERHOST_NET, "10.0.0.0/8", "t", "ann", "why", AT, AT.plusSeconds(1));
  private static final String FULL_BYTES =
      "01" // version
          + "04" // network
          + "03" // has tenant and end
          + "0174" // t
          + "0a31302e302e302e302f38" // 10.0.0.0/8
          + "03616e6e" // ann
          + "03776879" // why
          + "e807" // created at 1,000
          + "d00f"; // until 2,000
  private static final Ban PLAIN = new Ban(BanKind.CLIENTID, "c", null, "", "", AT, null);
  private static final String PLAIN_BYTES = "01" + "01" + "00" + "0163" + "00" + "00" + "e807";

  @Test
  void shouldKeepTheBytes() {
    assertThat(HEX.formatHex(StoredBan.encode(FULL))).isEqualTo(FULL_BYTES);
    assertThat(HEX.formatHex(StoredBan.encode(PLAIN))).isEqualTo(PLAIN_BYTES);
    for (BanKind kind : BanKind.values()) {
      Ban ban = new Ban(kind, "é", "t", "b", "r", AT, null);
      assertThat(StoredBan.decode(StoredBan.encode(ban))).isEqualTo(ban);
      assertThat(StoredBan.encode(ban)[1]).isEqualTo((byte) (kind.ordinal() + 1));
    }
    assertThat(StoredBan.decode(HEX.parseHex(FULL_BYTES))).isEqualTo(FULL);
    assertThat(StoredBan.decode(HEX.parseHex(PLAIN_BYTES))).isEqualTo(PLAIN);
  }

  @Test
  void shouldKeepTheKeys() {
    assertThat(StoredBan.key(PLAIN))
        .as("SHA-256 of the bytes 01 00 00 01 63")
        .isEqualTo("ban/5a243715509945bc948609cce20a242219c643b7cc1f6286bfb8ee99fad221e8");
    assertThat(
            List.of(
                StoredBan.key(BanKind.CLIENTID, "c", null),
                StoredBan.key(BanKind.CLIENTID, "c", "t"),
                StoredBan.key(BanKind.USERNAME, "c", null),
                StoredBan.key(BanKind.CLIENTID, "d", null)))
        .doesNotHaveDuplicates();
  }

  @Test
  void shouldRefuseOtherBytes() {
    for (String newer : List.of("02", "0105", "010104")) {
      byte[] bytes = Arrays.copyOf(HEX.parseHex(newer), 40);
      assertThatThrownBy(() -> StoredBan.decode(bytes)).isInstanceOf(NewerFormatException.class);
    }
    byte[] full = HEX.parseHex(FULL_BYTES);
    for (int length = 0; length < full.length; length++) {
      byte[] prefix = Arrays.copyOf(full, length);
      assertThatThrownBy(() -> StoredBan.decode(prefix))
          .isInstanceOf(MalformedBytesException.class);
    }
    assertThatThrownBy(() -> StoredBan.decode(Arrays.copyOf(full, full.length + 1)))
        .isInstanceOf(MalformedBytesException.class);
  }
}
