package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The start with which a node last registered, stored under the key {@code start/<id>}. It
 * distinguishes a data directory from copies of it.
 *
 * <pre>
 * u8 format = 1 | i64 count | i64 token
 * </pre>
 */
public final class StartRecord {
  public static final String PREFIX = "start/";
  private static final byte FORMAT = 1;
  private static final int BYTES = 17;

  private StartRecord() {}

  /** Returns the registered starts of all nodes. */
  public static Map<NodeId, StartStamp> all(MetadataView view) {
    Map<NodeId, StartStamp> starts = new HashMap<>();
    for (MetadataRecord record : view.withPrefix(PREFIX)) {
      starts.put(new NodeId(record.key().substring(PREFIX.length())), decode(record));
    }
    return starts;
  }

  /**
   * Returns the change that registers a start, provided that the record has not changed since the
   * view.
   */
  public static Change put(NodeId node, StartStamp start, MetadataView view) {
    MetadataRecord record = view.get(PREFIX + node.value());
    byte[] value =
        ByteBuffer.allocate(BYTES)
            .put(FORMAT)
            .putLong(start.count())
            .putLong(start.token())
            .array();
    return Change.put(
        PREFIX + node.value(), value, record == null ? Change.ABSENT : record.version());
  }

  private static StartStamp decode(MetadataRecord record) {
    ByteBuffer in = ByteBuffer.wrap(record.value());
    NewerFormatException.require("a start record", FORMAT, in.get());
    return new StartStamp(in.getLong(), in.getLong());
  }
}
