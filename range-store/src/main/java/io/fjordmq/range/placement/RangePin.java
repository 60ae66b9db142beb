package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The placement of one range that an operator has chosen: placement moves the voters there, and
 * balances neither them nor, if a leader is given, the leadership (decision 0073). Metadata records
 * {@code range-pin/<store>/<number>}:
 *
 * <pre>
 * u8 format, 1 | varint voters, then for each: text node, ascending | text leader, empty if none
 * </pre>
 *
 * @param voters nodes that are to be voters, at least one
 * @param leader the voter that should lead while it can; null if any voter may
 */
public record RangePin(Set<NodeId> voters, @Nullable NodeId leader) {
  static final String PREFIX = "range-pin/";
  private static final int FORMAT = 1;

  /**
   * @throws IllegalArgumentException if there is no voter, or the leader is none
   */
  public RangePin {
    voters = Set.copyOf(voters);
    if (voters.isEmpty() || (leader != null && !voters.contains(leader))) {
      throw new IllegalArgumentException(
          "the voters of a pin must not be empty and must include its leader; voters="
              + voters
              + " leader="
              + leader);
    }
  }

  /**
   * A pin in the metadata.
   *
   * @param version version of the record, required to change it
   */
  public record Stored(RangePin pin, long version) {}

  /** Returns the key of a range's record. */
  static String key(RangeId range) {
    return PREFIX + range.store() + "/" + range.number();
  }

  /**
   * Returns the range that a record belongs to.
   *
   * @throws MalformedBytesException if the key has another form
   */
  static RangeId range(String key) {
    int slash = key.lastIndexOf('/');
    try {
      return new RangeId(
          key.substring(PREFIX.length(), slash), Long.parseLong(key.substring(slash + 1)));
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new MalformedBytesException("not the key of a pin: " + key);
    }
  }

  /**
   * Returns the write that pins a range.
   *
   * @param expectedVersion version of the pin that it replaces, {@link Change#ABSENT} if none
   */
  public static Change put(RangeId range, RangePin pin, long expectedVersion) {
    return Change.put(key(range), pin.encode(), expectedVersion);
  }

  /** Returns the write that unpins a range. */
  public static Change remove(RangeId range, long expectedVersion) {
    return Change.remove(key(range), expectedVersion);
  }

  private byte[] encode() {
    ByteWriter out = new ByteWriter(64).writeByte(FORMAT).writeVarint(voters.size());
    NodeSets.sorted(voters).forEach(node -> out.writeString(node.value()));
    return out.writeString(leader == null ? "" : leader.value()).toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a pin, or have a newer format
   */
  static RangePin decode(byte[] value) {
    ByteReader in = new ByteReader(value);
    StoredFormat.require("pin of a range", FORMAT, in);
    try {
      Set<NodeId> voters = new HashSet<>();
      for (int remaining = in.readCount(2); remaining > 0; remaining--) {
        voters.add(new NodeId(in.readString()));
      }
      String leader = in.readString();
      in.requireEnd();
      return new RangePin(voters, leader.isEmpty() ? null : new NodeId(leader));
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("not a range pin", e);
    }
  }
}
