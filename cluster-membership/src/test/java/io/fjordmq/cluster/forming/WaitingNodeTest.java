package io.fjordmq.cluster.forming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.MalformedBytesException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages between waiting nodes. */
class WaitingNodeTest {
  private static final WaitingNode NODE =
      new WaitingNode(
          new NodeId("n1"),
          258,
          new NodeAddress("h", 8899),
          "Test",
          3,
          300,
          new Promise(new NodeId("a"), 7),
          List.of(new NodeAddress("b", 1)));

  @Test
  void shouldHaveTheDocumentedBytes() {
    String node =
        "01" + "026e31" + "0000000000000102" + "22c3" + "0168" + "0454657374" + "03" + "ac02";
    assertThat(HexFormat.of().formatHex(NODE.encode()))
        .isEqualTo(node + "01" + "0161" + "07" + "01" + "0001" + "0162");
    assertThat(HexFormat.of().formatHex(new FormationRequest(NODE, true).encode()))
        .startsWith("02" + node);
    assertThat(HexFormat.of().formatHex(new FormationRequest(NODE, false).encode()))
        .startsWith("01" + node);
  }

  @Test
  void shouldReadWhatItWrote() {
    WaitingNode free =
        new WaitingNode(
            NODE.node(), -1, new NodeAddress("::1", 65_535), "ä", 2, 0, null, List.of());
    for (WaitingNode node : List.of(NODE, free)) {
      assertThat(WaitingNode.decode(node.encode())).isEqualTo(node);
      FormationRequest request = new FormationRequest(node, true);
      assertThat(FormationRequest.decode(request.encode())).isEqualTo(request);
    }
  }

  @Test
  void shouldRejectInvalidAndNewerBytes() {
    byte[] valid = NODE.encode();
    for (int length = 0; length < valid.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(valid, length);
      assertThatThrownBy(() -> WaitingNode.decode(cut)).isInstanceOf(MalformedBytesException.class);
    }
    byte[] newer = valid.clone();
    newer[0] = 2;
    assertThatThrownBy(() -> WaitingNode.decode(newer)).hasMessageContaining("upgrade this node");
    byte[] request = new FormationRequest(NODE, true).encode();
    request[0] = 3;
    assertThatThrownBy(() -> FormationRequest.decode(request))
        .hasMessageContaining("upgrade this node");
  }
}
