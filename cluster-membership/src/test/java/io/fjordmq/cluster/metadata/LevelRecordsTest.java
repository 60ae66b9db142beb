package io.fjordmq.cluster.metadata;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.metadata.NodeRecord.State;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The records of the cluster level, and of the levels that nodes support. */
class LevelRecordsTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");

  @Test
  void shouldKeepTheBytesOfTheLevel() {
    LevelRecord record = new LevelRecord(2, 5, 6, 0xfffe, 7);
    assertThat(HexFormat.of().formatHex(record.encode()))
        .isEqualTo(
            "01" + "0002" + "0000000000000005" + "0000000000000006" + "fffe" + "0000000000000007");
    assertThat(LevelRecord.decode(record.encode())).isEqualTo(record);
    assertThat(LevelRecord.of(MetadataView.EMPTY)).isEqualTo(LevelRecord.at(1));
  }

  @Test
  void shouldKeepTheBytesOfSupportedLevels() {
    Change change = NodeLevels.put(A, new SupportedLevels(2, 0xfffe), MetadataView.EMPTY);
    assertThat(change.key()).isEqualTo("levels/a");
    assertThat(HexFormat.of().formatHex(requireNonNull(change.value())))
        .isEqualTo("01" + "0002" + "fffe");
    MetadataView view = MetadataView.EMPTY.with(List.of(change));
    assertThat(NodeLevels.of(view, A)).isEqualTo(new SupportedLevels(2, 0xfffe));
    assertThat(NodeLevels.of(view, B)).isEqualTo(SupportedLevels.FIRST_ONLY);
  }

  @Test
  void shouldListTheLevelsOfMembersOnly() {
    MetadataView view =
        MetadataView.EMPTY.with(
            List.of(
                node(A, State.DOWN),
                node(B, State.REMOVED),
                NodeLevels.put(B, new SupportedLevels(1, 2), MetadataView.EMPTY)));
    assertThat(NodeLevels.ofMembers(view))
        .containsExactly(Map.entry(A, SupportedLevels.FIRST_ONLY));
  }

  private static Change node(NodeId node, State state) {
    NodeRecord record = new NodeRecord(node, new NodeAddress("h", 1), 1, state);
    return Change.put(NodeRecord.key(node), record.encode());
  }
}
