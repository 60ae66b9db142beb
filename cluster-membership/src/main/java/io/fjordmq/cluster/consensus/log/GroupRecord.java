package io.fjordmq.cluster.consensus.log;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * A node's durable record of a group that it holds a replica of.
 *
 * <pre>
 * version u8 = 1 | number u64 | voters: count u16, then strings | learners: count u16, then strings
 * </pre>
 *
 * @param number identifies the group in keys; never reused
 * @param members members at creation; later changes are in the log
 */
public record GroupRecord(long number, ReplicaSet members) {
  private static final byte VERSION = 1;

  public byte[] encode() {
    ByteWriter out = new ByteWriter(64).writeByte(VERSION).writeLong(number);
    write(out, members.voters());
    write(out, members.learners());
    return out.toByteArray();
  }

  public static GroupRecord decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("group record", VERSION, in.readByte());
    long number = in.readLong();
    ReplicaSet members = new ReplicaSet(read(in), read(in));
    in.requireEnd();
    return new GroupRecord(number, members);
  }

  private static void write(ByteWriter out, Set<NodeId> nodes) {
    Set<String> sorted = new TreeSet<>();
    nodes.forEach(node -> sorted.add(node.value()));
    out.writeShort(sorted.size());
    sorted.forEach(out::writeString);
  }

  private static Set<NodeId> read(ByteReader in) {
    Set<NodeId> nodes = new HashSet<>();
    for (int remaining = in.readShort(); remaining > 0; remaining--) {
      nodes.add(new NodeId(in.readString()));
    }
    return nodes;
  }
}
