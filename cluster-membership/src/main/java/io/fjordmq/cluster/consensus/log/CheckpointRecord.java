package io.fjordmq.cluster.consensus.log;

import com.alipay.sofa.jraft.entity.RaftOutter.SnapshotMeta;
import com.google.protobuf.InvalidProtocolBufferException;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.List;
import java.util.Set;

/**
 * Records how much of the log a replica's state covers durably, so that the log can be truncated.
 *
 * <pre>
 * version u8 = 1 | applied u64 | meta: length varint, SnapshotMeta of jraft (protobuf)
 * </pre>
 *
 * @param applied last index that the state is known to include. Lower than the last index of {@code
 *     meta} if internal entries follow that never reach a state (a new leader's first entry, a
 *     membership change); higher only after installing a snapshot that was newer than the
 *     checkpoint it was offered for
 * @param meta index, term and members in jraft's own format
 */
public record CheckpointRecord(long applied, SnapshotMeta meta) {
  private static final byte VERSION = 1;

  /** The term of a group before its first election. */
  public static final long FIRST_TERM = 1;

  /** Returns the checkpoint of a new group whose members already have a state. */
  public static CheckpointRecord first(long appliedIndex, ReplicaSet members) {
    SnapshotMeta.Builder meta =
        SnapshotMeta.newBuilder()
            .setLastIncludedIndex(appliedIndex)
            .setLastIncludedTerm(FIRST_TERM);
    sorted(members.voters()).forEach(meta::addPeers);
    sorted(members.learners()).forEach(meta::addLearners);
    return new CheckpointRecord(appliedIndex, meta.build());
  }

  private static List<String> sorted(Set<NodeId> nodes) {
    return nodes.stream().map(node -> PeerNames.peer(node).toString()).sorted().toList();
  }

  public byte[] encode() {
    return new ByteWriter(64)
        .writeByte(VERSION)
        .writeLong(applied)
        .writeBlock(meta.toByteArray())
        .toByteArray();
  }

  public static CheckpointRecord decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("checkpoint record", VERSION, in.readByte());
    long applied = in.readLong();
    byte[] meta = in.readBlock();
    in.requireEnd();
    try {
      return new CheckpointRecord(applied, SnapshotMeta.parseFrom(meta));
    } catch (InvalidProtocolBufferException e) {
      throw new MalformedBytesException("malformed SnapshotMeta in a checkpoint record");
    }
  }
}
