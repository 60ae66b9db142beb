package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The registration of a node, stored under the key {@code node/<id>}.
 *
 * <pre>
 * u8 format = 4 | u8 state | i64 incarnation | u16 port | u16 length, host (UTF-8)    STARTING
 * u8 format = 3 | u8 state | i64 incarnation | u16 port | u16 length, host (UTF-8)    later states
 * u8 format = 2 | u8 state | i64 incarnation | u16 port | u16 length, host (UTF-8)
 * u8 format = 1 |            i64 incarnation | u16 port | u16 length, host (UTF-8)    single node, UP
 *
 * state: 0 UP, 1 DRAINING, 2 DOWN; in format 3 also 3 FULL, 4 SLOW, 5 LEAVING, 6 REMOVED;
 * in format 4 also 7 STARTING
 * </pre>
 *
 * @param node the id of the node
 * @param address the address of its cluster port
 * @param incarnation number of this registration, from 1; increases with each one, so that
 *     leftovers of earlier incarnations can be distinguished
 * @param state the state of this incarnation
 */
public record NodeRecord(NodeId node, NodeAddress address, long incarnation, State state) {
  public static final String PREFIX = "node/";
  private static final byte FORMAT = 2;

  /** Versions of FjordMQ without these states reject this format instead of misreading it. */
  private static final byte FORMAT_WITH_LATER_STATES = 3;

  private static final byte FORMAT_WITH_STARTING = 4;

  private static final byte FORMAT_WITHOUT_STATE = 1;

  /** The state of a node; stored as the ordinal, so the order must not change. */
  public enum State {
    UP,
    DRAINING,
    DOWN,
    FULL,
    SLOW,
    /** Alive and being decommissioned. */
    LEAVING,
    /** No longer a member. The record remains, so that the id is never reused. */
    REMOVED,
    /** Registered, holds a lease, and is not ready to be counted yet. */
    STARTING
  }

  /** Creates the record of a node that is UP. */
  public NodeRecord(NodeId node, NodeAddress address, long incarnation) {
    this(node, address, incarnation, State.UP);
  }

  /** Returns the same incarnation in another state. */
  public NodeRecord withState(State other) {
    return new NodeRecord(node, address, incarnation, other);
  }

  /** Returns the key of the record of the node. */
  public static String key(NodeId node) {
    return PREFIX + node.value();
  }

  /** Returns all nodes of the cluster, ordered by id. */
  public static List<NodeRecord> all(MetadataView view) {
    return view.withPrefix(PREFIX).stream().map(NodeRecord::decode).toList();
  }

  private static State state(int ordinal) {
    if (ordinal < 0 || ordinal >= State.values().length) {
      throw NewerFormatException.unknownKind("node state", ordinal);
    }
    return State.values()[ordinal];
  }

  public byte[] encode() {
    byte[] host = address.host().getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(1 + 1 + 8 + 2 + 2 + host.length);
    out.put(format()).put((byte) state.ordinal()).putLong(incarnation);
    return out.putShort((short) address.port()).putShort((short) host.length).put(host).array();
  }

  /** Returns the oldest format version that has the state. */
  private byte format() {
    if (state == State.STARTING) {
      return FORMAT_WITH_STARTING;
    }
    return state.compareTo(State.DOWN) > 0 ? FORMAT_WITH_LATER_STATES : FORMAT;
  }

  /**
   * @throws IllegalArgumentException if the record is not a node record or has another format
   */
  public static NodeRecord decode(MetadataRecord record) {
    ByteBuffer in = ByteBuffer.wrap(record.value());
    byte format = in.get();
    if (!record.key().startsWith(PREFIX)) {
      throw new IllegalArgumentException("not a node record: " + record);
    }
    if (format < FORMAT_WITHOUT_STATE || format > FORMAT_WITH_STARTING) {
      NewerFormatException.require("a node record", FORMAT_WITH_STARTING, format);
    }
    State state = format == FORMAT_WITHOUT_STATE ? State.UP : state(in.get());
    long incarnation = in.getLong();
    int port = in.getShort() & 0xffff;
    byte[] host = new byte[in.getShort() & 0xffff];
    in.get(host);
    return new NodeRecord(
        new NodeId(record.key().substring(PREFIX.length())),
        new NodeAddress(new String(host, StandardCharsets.UTF_8), port),
        incarnation,
        state);
  }
}
