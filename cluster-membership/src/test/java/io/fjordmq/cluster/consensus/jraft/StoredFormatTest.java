package io.fjordmq.cluster.consensus.jraft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.sofa.jraft.entity.EnumOutter.EntryType;
import com.alipay.sofa.jraft.entity.LogEntry;
import com.alipay.sofa.jraft.entity.LogId;
import com.alipay.sofa.jraft.entity.PeerId;
import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.cluster.consensus.log.EntryCodec;
import io.fjordmq.cluster.consensus.log.GroupRecord;
import io.fjordmq.cluster.consensus.log.HardState;
import io.fjordmq.cluster.consensus.log.InstallRecord;
import io.fjordmq.cluster.consensus.log.LogKeys;
import io.fjordmq.cluster.consensus.transport.RaftFrame;
import io.fjordmq.cluster.consensus.transport.RaftMessage;
import io.fjordmq.cluster.consensus.transport.SnapshotManifest;
import io.fjordmq.common.MalformedBytesException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.CorruptedFrameException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The bytes on disk and on the wire, which later releases must still read. */
final class StoredFormatTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final SnapshotMeta META =
      SnapshotMeta.newBuilder()
          .setLastIncludedIndex(5)
          .setLastIncludedTerm(2)
          .addPeers("a:0")
          .build();
  private static final String META_HEX = "0805100" + "21a03613a30";

  @Test
  void shouldStoreADataEntry() {
    LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_DATA);
    entry.setId(new LogId(7, 3));
    entry.setData(ByteBuffer.wrap(new byte[] {(byte) 0xCA, (byte) 0xFE}));
    String golden = "01" + "02" + "0000000000000003" + "0000000000000007" + "cafe";
    assertThat(HEX.formatHex(EntryCodec.encode(entry))).isEqualTo(golden);
    LogEntry read = EntryCodec.decode(HEX.parseHex(golden));
    assertThat(read.getType()).isEqualTo(EntryType.ENTRY_TYPE_DATA);
    assertThat(read.getId()).isEqualTo(new LogId(7, 3));
    assertThat(read.getData()).isEqualTo(entry.getData());
  }

  @Test
  void shouldStoreAConfigurationEntry() {
    LogEntry entry = new LogEntry(EntryType.ENTRY_TYPE_CONFIGURATION);
    entry.setId(new LogId(1, 1));
    entry.setPeers(List.of(new PeerId("a", 0), new PeerId("b", 0)));
    entry.setLearners(List.of(new PeerId("c", 0)));
    String golden =
        "01"
            + "03"
            + "0000000000000001"
            + "0000000000000001"
            + "0002"
            + "03613a30"
            + "03623a30"
            + "0000"
            + "0001"
            + "03633a30"
            + "0000";
    assertThat(HEX.formatHex(EntryCodec.encode(entry))).isEqualTo(golden);
    LogEntry read = EntryCodec.decode(HEX.parseHex(golden));
    assertThat(read.getPeers()).isEqualTo(entry.getPeers());
    assertThat(read.getOldPeers()).isNull();
    assertThat(read.getLearners()).isEqualTo(entry.getLearners());
  }

  @Test
  void shouldStoreAGroupRecord() {
    GroupRecord record =
        new GroupRecord(
            9, new ReplicaSet(Set.of(new NodeId("b"), new NodeId("a")), Set.of(new NodeId("c"))));
    String golden = "01" + "0000000000000009" + "0002" + "0161" + "0162" + "0001" + "0163";
    assertThat(HEX.formatHex(record.encode())).isEqualTo(golden);
    assertThat(GroupRecord.decode(HEX.parseHex(golden))).isEqualTo(record);
  }

  @Test
  void shouldStoreTermAndVote() {
    HardState state = new HardState(4, "a:0");
    String golden = "01" + "0000000000000004" + "03613a30";
    assertThat(HEX.formatHex(state.encode())).isEqualTo(golden);
    assertThat(HardState.decode(HEX.parseHex(golden))).isEqualTo(state);
  }

  @Test
  void shouldStoreACheckpointAndItsInstallation() {
    CheckpointRecord checkpoint = new CheckpointRecord(6, META);
    String golden = "01" + "0000000000000006" + "09" + META_HEX;
    assertThat(HEX.formatHex(checkpoint.encode())).isEqualTo(golden);
    assertThat(CheckpointRecord.decode(HEX.parseHex(golden))).isEqualTo(checkpoint);
    InstallRecord install = new InstallRecord("3", checkpoint);
    String goldenInstall = "01" + "0133" + "13" + golden;
    assertThat(HEX.formatHex(install.encode())).isEqualTo(goldenInstall);
    assertThat(InstallRecord.decode(HEX.parseHex(goldenInstall))).isEqualTo(install);
  }

  @Test
  void shouldSendAManifest() {
    SnapshotManifest manifest =
        new SnapshotManifest(6, META, List.of(new SnapshotManifest.FileSize("x/y", 300)));
    String golden =
        "01" + "0000000000000006" + "09" + META_HEX + "0001" + "03782f79" + "000000000000012c";
    assertThat(HEX.formatHex(manifest.encode())).isEqualTo(golden);
    assertThat(SnapshotManifest.decode(HEX.parseHex(golden))).isEqualTo(manifest);
  }

  @Test
  void shouldOrderKeysByGroupAndIndex() {
    assertThat(HEX.formatHex(LogKeys.entry(1, 258)))
        .isEqualTo("0000000000000001" + "0000000000000102");
    assertThat(HEX.formatHex(LogKeys.configuration(1, 2)))
        .isEqualTo("43" + "0000000000000001" + "0000000000000002");
    assertThat(HEX.formatHex(LogKeys.group(new GroupId("g1")))).isEqualTo("47" + "6731");
    assertThat(HEX.formatHex(LogKeys.hardState(1))).isEqualTo("48" + "0000000000000001");
    assertThat(LogKeys.groupOf(LogKeys.group(new GroupId("g1")))).isEqualTo(new GroupId("g1"));
  }

  @Test
  void shouldSendFrames() {
    var allocator = UnpooledByteBufAllocator.DEFAULT;
    StartStamp start = new StartStamp(258, -2);
    String startBytes = "0000000000000102" + "fffffffffffffffe";
    RaftFrame.Hello hello = new RaftFrame.Hello(new NodeId("a"), new NodeId("bc"), start);
    ByteBuf frame = RaftFrame.encodeHello(allocator, hello);
    assertThat(ByteBufUtil.hexDump(frame))
        .isEqualTo("00000018" + "00" + "02" + "02" + "0161" + "026263" + startBytes);
    assertThat(RaftFrame.readVersions(frame.skipBytes(5))).isEqualTo(2);
    assertThat(RaftFrame.readHello(frame)).isEqualTo(hello);
    frame.release();
    RaftFrame.Welcome welcome = new RaftFrame.Welcome(2, start);
    frame = RaftFrame.encodeWelcome(allocator, welcome);
    assertThat(ByteBufUtil.hexDump(frame)).isEqualTo("00000012" + "03" + "02" + startBytes);
    assertThat(RaftFrame.readWelcome(frame.skipBytes(5))).isEqualTo(welcome);
    frame.release();
    StartFence.Refusal refusal = new StartFence.Refusal("no", true);
    frame = RaftFrame.encodeRefusal(allocator, refusal);
    assertThat(ByteBufUtil.hexDump(frame)).isEqualTo("00000004" + "04" + "01" + "6e6f");
    assertThat(RaftFrame.readRefusal(frame.skipBytes(5))).isEqualTo(refusal);
    frame.release();
    PingRequest ping = PingRequest.newBuilder().setSendTimestamp(3).build();
    ByteBuf request = RaftFrame.encode(allocator, RaftFrame.REQUEST, 258, ping);
    assertThat(ByteBufUtil.hexDump(request))
        .isEqualTo("0000000c" + "01" + "01" + "0000000000000102" + "0803");
    RaftFrame.Call call = RaftFrame.readCall(request.skipBytes(5));
    assertThat(call).isEqualTo(new RaftFrame.Call(RaftMessage.PING, 258, ping));
    request.release();
  }

  @Test
  void shouldRejectUnreadableBytes() {
    assertThatThrownBy(() -> HardState.decode(HEX.parseHex("020000")))
        .isInstanceOf(MalformedBytesException.class)
        .hasMessageContaining("version 2");
    assertThatThrownBy(() -> GroupRecord.decode(HEX.parseHex("0100")))
        .isInstanceOf(MalformedBytesException.class);
    ByteBuf unknown = UnpooledByteBufAllocator.DEFAULT.buffer().writeByte(99).writeLong(0);
    assertThatThrownBy(() -> RaftFrame.readCall(unknown))
        .isInstanceOf(CorruptedFrameException.class);
    unknown.release();
  }
}
