package io.fjordmq.broker.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes between nodes. Changing them requires a new version. */
class BackupCallTest {
  private static final HexFormat HEX = HexFormat.of();

  private static void assertBytes(BackupCall call, String hex) {
    assertThat(HEX.formatHex(call.encode())).isEqualTo(hex);
    assertThat(BackupCall.decode(call.encode())).isEqualTo(call);
  }

  @Test
  void shouldNotChangeTheRequests() {
    assertBytes(
        new BackupCall.Open(new RangeId("inbox", 7)), "0101" + "05696e626f78" + "0000000000000007");
    assertBytes(new BackupCall.Read(258), "0102" + "0000000000000102");
    assertBytes(new BackupCall.Close(1), "0103" + "0000000000000001");
  }

  @Test
  void shouldNotChangeTheResponses() throws IOException {
    RangeDescriptor range =
        new RangeDescriptor(
            new RangeId("inbox", 7),
            KeyInterval.ALL,
            RangeEpoch.FIRST,
            ReplicaSet.ofVoters(new NodeId("a")));
    ExportedRange opened = new ExportedRange(3, range, 99);
    byte[] response = BackupCall.Open.encodeResponse(opened);
    assertThat(BackupCall.Open.decodeResponse(response)).isEqualTo(opened);
    assertThat(HEX.formatHex(response)).startsWith("010000000000000003").endsWith("0063");

    ByteWriter rows = new ByteWriter(8);
    RowBlock.append(rows, new byte[] {1}, new byte[] {2, 3});
    byte[] block = BackupCall.Read.encodeResponse(new RowBlock(rows.toByteArray(), true));
    assertThat(HEX.formatHex(block)).isEqualTo("01" + "01" + "0101" + "020203");
    List<String> read = new ArrayList<>();
    RowBlock decoded = BackupCall.Read.decodeResponse(block);
    decoded.visit((key, value) -> read.add(HEX.formatHex(key) + "=" + HEX.formatHex(value)));
    assertThat(decoded.hasMore()).isTrue();
    assertThat(read).containsExactly("01=0203");
    assertThat(BackupCall.Close.encodeResponse()).containsExactly(1);
  }

  @Test
  void shouldRejectNewerRequests() {
    assertThatThrownBy(() -> BackupCall.decode(new byte[] {2, 1}))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> BackupCall.decode(new byte[] {1, 4}))
        .isInstanceOf(NewerFormatException.class);
  }
}
