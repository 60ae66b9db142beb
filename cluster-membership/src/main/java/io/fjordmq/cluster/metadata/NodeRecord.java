package io.fjordmq.cluster.metadata;

import io.fjordmq.api.NewerFormException;
import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What the cluster knows of a node, under {@code node/<id>}.
 *
 * <pre>
 * u8 form = 4 | u8 state | i64 incarnation | u16 port | u16 length, host (UTF-8)    STARTING
 * u8 form = 3 | u8 state | i64 incarnation | u16 port | u16 length, host (UTF-8)    later states
 * u8 form = 2 | u8 state | i64 incarnation | u16 port | u16 length, host (UTF-8)
 * u8 form = 1 |            i64 incarnation | u16 port | u16 length, host (UTF-8)    of one node, UP
 *
 * state: 0 UP, 1 DRAINING, 2 DOWN; in form 3 also 3 FULL, 4 SLOW, 5 LEAVING, 6 REMOVED;
 * in form 4 7 STARTING
 * </pre>
 *
 * @param node who
 * @param address where its cluster port is
 * @param incarnation raised by the node at each start, so that what an earlier life left behind can
 *     be told apart; from 1
 * @param state whether that life goes on
 */
public record NodeRecord(NodeId node, NodeAddress address, long incarnation, State state) {
  public static final String PREFIX = "node/";
  private static final byte FORM = 2;

  /** A version that knows nothing of the later states shall say so, not take them for others. */
  private static final byte FORM_OF_LATER_STATES = 3;

  private static final byte FORM_OF_STARTING = 4;

  private static final byte FORM_WITHOUT_STATE = 1;

  /** Written as their ordinals. */
  public enum State {
    UP,
    DRAINING,
    DOWN,
    FULL,
    SLOW,
    /** Alive, and about to go for good. */
    LEAVING,
    /** No member any more. The record stays, so that the id never comes back. */
    REMOVED,
    /** Registered, with a lease, and not yet ready to be counted. */
    STARTING
  }

  /** Of a node that is UP. */
  public NodeRecord(NodeId node, NodeAddress address, long incarnation) {
    this(node, address, incarnation, State.UP);
  }

  /** The same life in another state. */
  public NodeRecord in(State other) {
    return new NodeRecord(node, address, incarnation, other);
  }

  /** The key of the node's record. */
  public static String key(NodeId node) {
    return PREFIX + node.value();
  }

  /** All nodes of the cluster, in the order of their ids. */
  public static List<NodeRecord> all(MetadataView view) {
    return view.withPrefix(PREFIX).stream().map(NodeRecord::decode).toList();
  }

  private static State state(int ordinal) {
    if (ordinal < 0 || ordinal >= State.values().length) {
      throw NewerFormException.unknownKind("state of a node", ordinal);
    }
    return State.values()[ordinal];
  }

  public byte[] encode() {
    byte[] host = address.host().getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(1 + 1 + 8 + 2 + 2 + host.length);
    out.put(form()).put((byte) state.ordinal()).putLong(incarnation);
    return out.putShort((short) address.port()).putShort((short) host.length).put(host).array();
  }

  /** The oldest version that has the state. */
  private byte form() {
    if (state == State.STARTING) {
      return FORM_OF_STARTING;
    }
    return state.compareTo(State.DOWN) > 0 ? FORM_OF_LATER_STATES : FORM;
  }

  /**
   * @throws IllegalArgumentException if the record is no node's or of another form
   */
  public static NodeRecord decode(MetadataRecord record) {
    ByteBuffer in = ByteBuffer.wrap(record.value());
    byte form = in.get();
    if (!record.key().startsWith(PREFIX)) {
      throw new IllegalArgumentException("not a node's record: " + record);
    }
    if (form < FORM_WITHOUT_STATE || form > FORM_OF_STARTING) {
      NewerFormException.require("a node's record", FORM_OF_STARTING, form);
    }
    State state = form == FORM_WITHOUT_STATE ? State.UP : state(in.get());
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
