package io.fjordmq.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.common.NewerFormatException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes between nodes. Changing them requires a new version. */
class NodeReportTest {
  private static final NodeReport REPORT = new NodeReport("1.2", 300, 5);
  private static final String BYTES = "01" + "03312e32" + "ac02" + "05";

  @Test
  void shouldKeepItsFormat() {
    assertThat(HexFormat.of().formatHex(REPORT.encode())).isEqualTo(BYTES);
    assertThat(NodeReport.decode(HexFormat.of().parseHex(BYTES))).isEqualTo(REPORT);
  }

  @Test
  void shouldRejectANewerFormat() {
    assertThatThrownBy(() -> NodeReport.decode(new byte[] {2}))
        .isInstanceOf(NewerFormatException.class);
  }
}
