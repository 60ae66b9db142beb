package io.fjordmq.cluster.metadata;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartStamp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** The stored formats. A change of the golden bytes breaks every existing cluster. */
class MetadataCodecTest {
  private static final HexFormat HEX = HexFormat.of();

  @Test
  void shouldEncodeABatchAsDocumented() {
    List<Change> batch = List.of(Change.put("a", bytes("xy")), Change.remove("b/c", 258));
    assertThat(HEX.formatHex(MetadataCodec.encodeBatch(batch)))
        .isEqualTo(
            "01"
                + "00000002"
                + ("01" + "61" + "ffffffffffffffff" + "00000002" + "7879")
                + ("03" + "622f63" + "0000000000000102" + "ffffffff"));
  }

  @Test
  void shouldEncodeACheckpointAsDocumented() {
    MetadataView view = MetadataView.of(9, List.of(new MetadataRecord("a", bytes("xy"), 7)));
    assertThat(HEX.formatHex(MetadataCodec.encodeCheckpoint(new MetadataCodec.Checkpoint(5, view))))
        .isEqualTo(
            "01"
                + "0000000000000005"
                + "0000000000000009"
                + "00000001"
                + ("01" + "61" + "0000000000000007" + "00000002" + "7879")
                + "31a20f31");
  }

  @Test
  void shouldEncodeRecordsAsDocumented() {
    NodeRecord node = new NodeRecord(new NodeId("n"), new NodeAddress("h.x", 65_535), 3);
    assertThat(HEX.formatHex(node.encode())).isEqualTo("02000000000000000003ffff0003682e78");
    assertThat(HEX.formatHex(node.withState(NodeRecord.State.DOWN).encode()))
        .isEqualTo("02020000000000000003ffff0003682e78");
    assertThat(HEX.formatHex(node.withState(NodeRecord.State.FULL).encode()))
        .isEqualTo("03030000000000000003ffff0003682e78");
    NodeRecord slow = node.withState(NodeRecord.State.SLOW);
    assertThat(HEX.formatHex(slow.encode())).isEqualTo("03040000000000000003ffff0003682e78");
    assertThat(NodeRecord.decode(new MetadataRecord("node/n", slow.encode(), 1))).isEqualTo(slow);
    assertThat(HEX.formatHex(node.withState(NodeRecord.State.LEAVING).encode()))
        .isEqualTo("03050000000000000003ffff0003682e78");
    assertThat(HEX.formatHex(node.withState(NodeRecord.State.STARTING).encode()))
        .isEqualTo("04070000000000000003ffff0003682e78");
    assertThat(HEX.formatHex(node.withState(NodeRecord.State.REMOVED).encode()))
        .isEqualTo("03060000000000000003ffff0003682e78");
    assertThat(HEX.formatHex(new ClusterRecord("c1", 4, "Test").encode()))
        .isEqualTo("020000000000000004" + "026331" + "54657374");
    MetadataView view =
        MetadataView.of(
            2,
            List.of(
                new MetadataRecord("cluster", new ClusterRecord("c1", 4, "Test").encode(), 1),
                new MetadataRecord("node/n", node.encode(), 2)));
    assertThat(NodeRecord.all(view)).containsExactly(node);
    assertThat(ClusterRecord.of(view)).isEqualTo(new ClusterRecord("c1", 4, "Test"));
    byte[] nameless = HEX.parseHex("0100000000000000046331");
    assertThat(
            ClusterRecord.of(
                MetadataView.of(1, List.of(new MetadataRecord("cluster", nameless, 1)))))
        .isEqualTo(new ClusterRecord("c1", 4, ""));
    assertThat(ClusterRecord.of(MetadataView.EMPTY)).isNull();
  }

  @Test
  void shouldEncodeAStartRecordAsDocumented() {
    NodeId node = new NodeId("n");
    StartStamp start = new StartStamp(258, -2);
    Change first = StartRecord.put(node, start, MetadataView.EMPTY);
    String golden = "01" + "0000000000000102" + "fffffffffffffffe";
    assertThat(first).isEqualTo(Change.put("start/n", HEX.parseHex(golden), Change.ABSENT));
    MetadataView view = MetadataView.EMPTY.with(List.of(first));
    assertThat(StartRecord.all(view)).isEqualTo(Map.of(node, start));
    assertThat(StartRecord.put(node, start, view).expectedVersion()).isEqualTo(view.version());
  }

  @Test
  void shouldReadANodeRecordWithoutAStateAsUp() {
    byte[] old = HEX.parseHex("010000000000000003ffff0003682e78");
    assertThat(NodeRecord.decode(new MetadataRecord("node/n", old, 1)))
        .isEqualTo(new NodeRecord(new NodeId("n"), new NodeAddress("h.x", 65_535), 3));
  }

  @Test
  void shouldRejectANodeStateOfANewerVersion() {
    byte[] newer = HEX.parseHex("04080000000000000003ffff0003682e78");
    assertThatThrownBy(() -> NodeRecord.decode(new MetadataRecord("node/n", newer, 1)))
        .hasMessageContaining("node state of unknown kind 8");
  }

  @Property
  void shouldReadABatchAsItWasWritten(@ForAll("batches") List<Change> batch) {
    ByteBuffer entry = ByteBuffer.wrap(MetadataCodec.encodeBatch(batch));
    assertThat(MetadataCodec.decodeBatch(entry)).isEqualTo(batch);
    assertThat(entry.hasRemaining()).isFalse();
  }

  @Property(tries = 200)
  void shouldDetectEveryDamagedByteOfACheckpoint(
      @ForAll("batches") List<Change> batch, @ForAll int position) throws IOException {
    MetadataView view = MetadataView.EMPTY.with(batch);
    byte[] bytes = MetadataCodec.encodeCheckpoint(new MetadataCodec.Checkpoint(1, view));
    assertThat(MetadataCodec.decodeCheckpoint(bytes).view()).isEqualTo(view);
    bytes[Math.floorMod(position, bytes.length)] ^= 0x40;
    assertThatThrownBy(() -> MetadataCodec.decodeCheckpoint(bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("corrupt");
  }

  @Test
  void shouldRejectEntriesOfANewerFormat() {
    assertThatThrownBy(() -> MetadataCodec.decodeBatch(ByteBuffer.wrap(new byte[] {2, 0, 0, 0, 0})))
        .hasMessageContaining("version 2");
  }

  @Test
  void shouldRejectInvalidKeys() {
    for (String key : List.of("", "ä", "a b", "x".repeat(256))) {
      assertThatThrownBy(() -> Change.put(key, bytes("")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("metadata key");
    }
  }

  @Provide
  Arbitrary<List<Change>> batches() {
    Arbitrary<String> keys =
        Arbitraries.strings().withCharRange('a', 'z').withChars("/.-_09").ofMinLength(1);
    Arbitrary<byte[]> values = Arbitraries.bytes().array(byte[].class).ofMaxSize(300);
    return Combinators.combine(
            keys.filter(key -> key.length() < 256),
            values.injectNull(0.2),
            Arbitraries.longs().greaterOrEqual(-1))
        .as(Change::new)
        .list()
        .ofMaxSize(8)
        .uniqueElements(Change::key);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }
}
