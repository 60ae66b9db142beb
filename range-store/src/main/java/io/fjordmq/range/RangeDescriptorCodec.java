package io.fjordmq.range;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * {@link RangeDescriptor} as bytes.
 *
 * <pre>
 * u8   format, 1
 * text store              (text and bytes: u32 length, then the bytes)
 * u64  range number
 * u64  epoch version
 * u64  epoch replicas
 * bytes start key
 * u8   1 if an end key follows, 0 if the interval has no end
 * bytes end key
 * u32  voters,   then as many texts: node ids in ascending order
 * u32  learners, then as many texts: node ids in ascending order
 * </pre>
 */
public final class RangeDescriptorCodec {
  private static final int FORMAT = 1;

  private RangeDescriptorCodec() {}

  public static byte[] encode(RangeDescriptor descriptor) {
    ByteWriter out = new ByteWriter(128);
    out.u8(FORMAT);
    out.text(descriptor.id().store());
    out.u64(descriptor.id().number());
    out.u64(descriptor.epoch().version());
    out.u64(descriptor.epoch().replicas());
    out.bytes(descriptor.interval().start());
    byte[] end = descriptor.interval().end();
    out.u8(end == null ? 0 : 1);
    if (end != null) {
      out.bytes(end);
    }
    writeNodes(out, descriptor.replicas().voters());
    writeNodes(out, descriptor.replicas().learners());
    return out.toByteArray();
  }

  /**
   * @throws CorruptDataException if the bytes are not a descriptor
   */
  public static RangeDescriptor decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    in.format("range descriptor", FORMAT);
    RangeId id = new RangeId(in.text(), in.u64());
    RangeEpoch epoch = new RangeEpoch(in.u64(), in.u64());
    byte[] start = in.bytes();
    byte[] end = in.u8() == 0 ? null : in.bytes();
    ReplicaSet replicas = new ReplicaSet(readNodes(in), readNodes(in));
    in.expectEnd("range descriptor");
    return new RangeDescriptor(id, new KeyInterval(start, end), epoch, replicas);
  }

  private static void writeNodes(ByteWriter out, Set<NodeId> nodes) {
    List<NodeId> sorted = new ArrayList<>(nodes);
    sorted.sort(Comparator.comparing(NodeId::value));
    out.u32(sorted.size());
    sorted.forEach(node -> out.text(node.value()));
  }

  private static Set<NodeId> readNodes(ByteReader in) {
    int count = in.count(4);
    Set<NodeId> nodes = new HashSet<>();
    for (int i = 0; i < count; i++) {
      nodes.add(new NodeId(in.text()));
    }
    return nodes;
  }
}
