package io.fjordmq.cluster.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.RaftLogSettings;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.cluster.consensus.log.EntryCodec;
import io.fjordmq.cluster.consensus.log.GroupRecord;
import io.fjordmq.cluster.consensus.log.HardState;
import io.fjordmq.cluster.consensus.log.InstallRecord;
import io.fjordmq.cluster.consensus.log.LogKeys;
import io.fjordmq.cluster.consensus.log.SharedLog;
import io.fjordmq.cluster.consensus.transport.RaftFrame;
import io.fjordmq.cluster.consensus.transport.SnapshotManifest;
import io.fjordmq.common.NewerFormatException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.CorruptedFrameException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Formats and messages of a newer version are rejected with an explanation. */
class NewerFormatsTest {
  private static final byte[] NEXT_VERSION = {2, 0, 0, 0};

  @TempDir Path directory;

  @Test
  void shouldRejectEveryStoredFormatOfTheNextVersion() {
    for (Runnable read :
        List.<Runnable>of(
            () -> EntryCodec.decode(NEXT_VERSION),
            () -> HardState.decode(NEXT_VERSION),
            () -> GroupRecord.decode(NEXT_VERSION),
            () -> CheckpointRecord.decode(NEXT_VERSION),
            () -> InstallRecord.decode(NEXT_VERSION),
            () -> SnapshotManifest.decode(NEXT_VERSION))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(NewerFormatException.class)
          .hasMessageEndingWith(" has version 2, this node reads version 1: upgrade this node");
    }
  }

  @Test
  void shouldNotOpenALogDatabaseOfTheNextVersion() throws Exception {
    try (SharedLog log = SharedLog.open(directory, RaftLogSettings.DEFAULT);
        SharedLog.Batch batch = log.batch()) {
      batch.put(LogKeys.format(), new byte[] {2}).commit(true);
    }
    assertThatThrownBy(() -> SharedLog.open(directory, RaftLogSettings.DEFAULT))
        .isInstanceOf(ConsensusException.class)
        .hasMessageContaining("the log database has version 2")
        .hasMessageContaining("upgrade this node");
  }

  @Test
  void shouldRefuseTheHandshakeOfTheNextVersion() {
    ByteBuf hello = Unpooled.wrappedBuffer(new byte[] {4, 3, 0, 0});
    assertThatThrownBy(() -> RaftFrame.readVersions(hello))
        .isInstanceOf(CorruptedFrameException.class)
        .hasMessage(
            "the peer speaks versions 3 to 4 of the Raft frame format, this node speaks version 2; upgrade this node");
    ByteBuf before = Unpooled.wrappedBuffer(new byte[] {1, 1, 'a', 1, 'b'});
    assertThatThrownBy(() -> RaftFrame.readVersions(before))
        .hasMessage(
            "the peer speaks version 1 of the Raft frame format, this node speaks version 2; upgrade the peer");
  }

  @Test
  void shouldUseTheHighestCommonVersion() {
    ByteBuf hello = Unpooled.wrappedBuffer(new byte[] {4, 1, 0, 0});
    assertThat(RaftFrame.readVersions(hello)).isEqualTo(2);
  }
}
