package io.fjordmq.range;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Encodes and decodes {@link RangeDescriptor}.
 *
 * <pre>
 * u8   format, 1
 * text store              (text and bytes: varint length, then the bytes)
 * u64  range number
 * u64  epoch version
 * u64  epoch replicas
 * bytes start key
 * u8   1 if an end key follows, 0 if the interval has no end
 * bytes end key
 * varint voters,   then as many texts: node ids in ascending order
 * varint learners, then as many texts: node ids in ascending order
 * </pre>
 */
public final class RangeDescriptorCodec {
  private static final int FORMAT = 1;

  private RangeDescriptorCodec() {}

  public static byte[] encode(RangeDescriptor descriptor) {
    ByteWriter out = new ByteWriter(128);
    out.writeByte(FORMAT);
    out.writeString(descriptor.id().store());
    out.writeLong(descriptor.id().number());
    out.writeLong(descriptor.epoch().version());
    out.writeLong(descriptor.epoch().replicas());
    descriptor.interval().write(out);
    writeReplicas(out, descriptor.replicas());
    return out.toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a descriptor
   */
  public static RangeDescriptor decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    StoredFormat.require("range descriptor", FORMAT, in);
    RangeId id = new RangeId(in.readString(), in.readLong());
    RangeEpoch epoch = new RangeEpoch(in.readLong(), in.readLong());
    KeyInterval interval = KeyInterval.read(in);
    ReplicaSet replicas = readReplicas(in);
    in.requireEnd();
    return new RangeDescriptor(id, interval, epoch, replicas);
  }

  static void writeReplicas(ByteWriter out, ReplicaSet replicas) {
    writeNodes(out, replicas.voters());
    writeNodes(out, replicas.learners());
  }

  static ReplicaSet readReplicas(ByteReader in) {
    return new ReplicaSet(readNodes(in), readNodes(in));
  }

  private static void writeNodes(ByteWriter out, Set<NodeId> nodes) {
    List<NodeId> sorted = new ArrayList<>(nodes);
    sorted.sort(Comparator.comparing(NodeId::value));
    out.writeVarint(sorted.size());
    sorted.forEach(node -> out.writeString(node.value()));
  }

  private static Set<NodeId> readNodes(ByteReader in) {
    int count = in.readCount(1);
    Set<NodeId> nodes = new HashSet<>();
    for (int i = 0; i < count; i++) {
      nodes.add(new NodeId(in.readString()));
    }
    return nodes;
  }
}
