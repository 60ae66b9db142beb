package io.fjordmq.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.NewerFormatException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes between nodes. Changing them requires a new version. */
class NodeReportTest {
  private static final NodeReport REPORT =
      new NodeReport(
          "1.2",
          300,
          5,
          new NodeResources(1, 2, 3, 4, 5, 6, true, new HostLoad(0.25, 1.5, HostLoad.UNKNOWN)));
  private static final String BYTES =
      "02" + "03312e32" + "ac02" + "05" + "010203040506" + "01" + "1a" + "9701" + "00";
  private static final NodeReport EARLIER = new NodeReport("1.2", 300, 5, null);
  private static final String EARLIER_BYTES = "01" + "03312e32" + "ac02" + "05";

  @Test
  void shouldKeepItsFormat() {
    assertThat(HexFormat.of().formatHex(REPORT.encode())).isEqualTo(BYTES);
    assertThat(NodeReport.decode(HexFormat.of().parseHex(BYTES))).isEqualTo(REPORT);
  }

  @Test
  void shouldReadReportsOfEarlierVersions() {
    assertThat(HexFormat.of().formatHex(EARLIER.encode())).isEqualTo(EARLIER_BYTES);
    assertThat(NodeReport.decode(HexFormat.of().parseHex(EARLIER_BYTES))).isEqualTo(EARLIER);
  }

  @Test
  void shouldRejectANewerFormat() {
    assertThatThrownBy(() -> NodeReport.decode(new byte[] {3}))
        .isInstanceOf(NewerFormatException.class);
  }

  @Test
  void shouldParseTheLoadOfALinuxHost() {
    assertThat(HostLoad.parse("0.20 0.18 12.12 1/80 11206\n"))
        .isEqualTo(new HostLoad(0.20, 0.18, 12.12));
    assertThat(HostLoad.parse("x 0.18 0.12").oneMinute()).isEqualTo(HostLoad.UNKNOWN);
    assertThat(HostLoad.now().oneMinute()).isGreaterThanOrEqualTo(HostLoad.UNKNOWN);
  }
}
