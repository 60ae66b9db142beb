package io.fjordmq.cluster.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.NewerFormatException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.CorruptedFrameException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what a newer node has written or says is refused with words. */
class NewerFormsTest {
  private static final byte[] NEXT = {2, 0, 0, 0};

  @TempDir Path directory;

  @Test
  void shouldRefuseEveryStoredFormOfTheNextVersion() {
    for (Runnable read :
        List.<Runnable>of(
            () -> EntryCodec.decode(NEXT),
            () -> HardState.decode(NEXT),
            () -> GroupRecord.decode(NEXT),
            () -> CheckpointRecord.decode(NEXT),
            () -> InstallRecord.decode(NEXT),
            () -> SnapshotManifest.decode(NEXT))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(NewerFormatException.class)
          .hasMessageEndingWith(" has version 2, this node reads version 1: upgrade this node");
    }
  }

  @Test
  void shouldNotOpenALogDatabaseOfTheNextVersion() throws Exception {
    try (SharedLog log = SharedLog.open(directory, LogSettings.DEFAULT);
        SharedLog.Batch batch = log.batch()) {
      batch.put(LogKeys.format(), new byte[] {2}).commit(true);
    }
    assertThatThrownBy(() -> SharedLog.open(directory, LogSettings.DEFAULT))
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
            "it speaks versions 3 to 4 of Raft's frames, this node speaks version 2: upgrade this node");
    ByteBuf before = Unpooled.wrappedBuffer(new byte[] {1, 1, 'a', 1, 'b'});
    assertThatThrownBy(() -> RaftFrame.readVersions(before))
        .hasMessage("it speaks version 1 of Raft's frames, this node speaks version 2: upgrade it");
  }

  @Test
  void shouldSpeakTheHighestVersionThatBothKnow() {
    ByteBuf hello = Unpooled.wrappedBuffer(new byte[] {4, 1, 0, 0});
    assertThat(RaftFrame.readVersions(hello)).isEqualTo(2);
  }
}
