package io.fjordmq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Metadata written by a newer node is rejected with an explanation. */
class NewerFormatsTest {

  @Test
  void shouldRefuseRecordsAndEntriesOfTheNextVersion() {
    byte[] node = {5, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 'h'};
    byte[] state = {2, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 'h'};
    byte[] cluster = {9, 0, 0, 0, 0, 0, 0, 0, 0};
    MetadataView newerCluster =
        MetadataView.of(1, List.of(new MetadataRecord(ClusterRecord.KEY, cluster, 1)));
    MetadataView start =
        MetadataView.of(1, List.of(new MetadataRecord("start/a", new byte[] {2}, 1)));
    MetadataView levels =
        MetadataView.of(1, List.of(new MetadataRecord("levels/a", new byte[] {2}, 1)));
    for (Runnable read :
        List.<Runnable>of(
            () -> NodeRecord.decode(new MetadataRecord("node/a", node, 1)),
            () -> NodeRecord.decode(new MetadataRecord("node/a", state, 1)),
            () -> ClusterRecord.of(newerCluster),
            () -> StartRecord.all(start),
            () -> LevelRecord.decode(new byte[] {2}),
            () -> NodeLevels.of(levels, new NodeId("a")),
            () -> MetadataCodec.decodeBatch(ByteBuffer.wrap(new byte[] {2, 0, 0, 0, 0})))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(NewerFormatException.class)
          .hasMessageEndingWith("upgrade this node");
    }
  }

  @Test
  void shouldRefuseACheckpointOfTheNextVersion() {
    byte[] checkpoint =
        MetadataCodec.encodeCheckpoint(new MetadataCodec.Checkpoint(1, MetadataView.EMPTY));
    checkpoint[0]++;
    CRC32C crc = new CRC32C();
    crc.update(checkpoint, 0, checkpoint.length - 4);
    ByteBuffer.wrap(checkpoint).putInt(checkpoint.length - 4, (int) crc.getValue());
    assertThatThrownBy(() -> MetadataCodec.decodeCheckpoint(checkpoint))
        .hasMessage(
            "the metadata checkpoint has version 2, this node reads version 1: upgrade this node");
    assertThat(NewerFormatException.findIn(null)).isNull();
  }
}
