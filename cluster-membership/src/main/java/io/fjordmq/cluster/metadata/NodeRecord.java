package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What the cluster knows of a node, under {@code node/<id>}.
 *
 * <pre>
 * u8 form = 1 | i64 incarnation | u16 port | u16 length, host (UTF-8)
 * </pre>
 *
 * @param node who
 * @param address where its cluster port is
 * @param incarnation raised by the node at each start, so that what an earlier life left behind can
 *     be told apart; from 1
 */
public record NodeRecord(NodeId node, NodeAddress address, long incarnation) {
  private static final String PREFIX = "node/";
  private static final byte FORM = 1;

  /** The key of the node's record. */
  public static String key(NodeId node) {
    return PREFIX + node.value();
  }

  /** All nodes of the cluster, in the order of their ids. */
  public static List<NodeRecord> all(MetadataView view) {
    return view.withPrefix(PREFIX).stream().map(NodeRecord::decode).toList();
  }

  public byte[] encode() {
    byte[] host = address.host().getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(1 + 8 + 2 + 2 + host.length);
    out.put(FORM).putLong(incarnation);
    return out.putShort((short) address.port()).putShort((short) host.length).put(host).array();
  }

  /**
   * @throws IllegalArgumentException if the record is no node's or of another form
   */
  public static NodeRecord decode(MetadataRecord record) {
    ByteBuffer in = ByteBuffer.wrap(record.value());
    byte form = in.get();
    if (form != FORM || !record.key().startsWith(PREFIX)) {
      throw new IllegalArgumentException("not a node's record of form 1: " + record);
    }
    long incarnation = in.getLong();
    int port = in.getShort() & 0xffff;
    byte[] host = new byte[in.getShort() & 0xffff];
    in.get(host);
    return new NodeRecord(
        new NodeId(record.key().substring(PREFIX.length())),
        new NodeAddress(new String(host, StandardCharsets.UTF_8), port),
        incarnation);
  }
}
