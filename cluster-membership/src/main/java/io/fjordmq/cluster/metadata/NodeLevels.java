package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The levels that a node supports, as announced at its last registration; stored under the key
 * {@code levels/<id>} (decision 0101). A node without the record supports only level 1.
 *
 * <pre>
 * u8 format = 1 | u16 lowest | u16 highest
 * </pre>
 */
public final class NodeLevels {
  public static final String PREFIX = "levels/";
  private static final byte FORMAT = 1;
  private static final int BYTES = 1 + 2 + 2;

  private NodeLevels() {}

  /** Returns the levels that the node supports. */
  public static SupportedLevels of(MetadataView view, NodeId node) {
    MetadataRecord record = view.get(PREFIX + node.value());
    return record == null ? SupportedLevels.FIRST_ONLY : decode(record.value());
  }

  /**
   * Returns the levels of all nodes that have joined and have not been removed, including those
   * that are down, ordered by id.
   */
  public static SortedMap<NodeId, SupportedLevels> ofMembers(MetadataView view) {
    SortedMap<NodeId, SupportedLevels> members = new TreeMap<>(Comparator.comparing(NodeId::value));
    for (NodeRecord record : NodeRecord.all(view)) {
      if (record.state() != NodeRecord.State.REMOVED) {
        members.put(record.node(), of(view, record.node()));
      }
    }
    return members;
  }

  /**
   * Returns the change that announces the levels of a node, provided that its record has not
   * changed since the view.
   */
  public static Change put(NodeId node, SupportedLevels levels, MetadataView view) {
    MetadataRecord record = view.get(PREFIX + node.value());
    byte[] value =
        ByteBuffer.allocate(BYTES)
            .put(FORMAT)
            .putShort((short) levels.lowest())
            .putShort((short) levels.highest())
            .array();
    return Change.put(
        PREFIX + node.value(), value, record == null ? Change.ABSENT : record.version());
  }

  private static SupportedLevels decode(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    NewerFormatException.require("a record of supported levels", FORMAT, in.get());
    return new SupportedLevels(
        in.getShort() & SupportedLevels.MAX, in.getShort() & SupportedLevels.MAX);
  }
}
