package io.fjordmq.router;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormException;

/**
 * A change to routes, as it stands in the log.
 *
 * <pre>
 * u8  version, 1
 * u8  kind: 1 add, 2 remove, 3 remove stale
 * add:           block key, rest of the bytes: value
 * remove:        block key
 * remove stale:  string node, u64 incarnation, varint how many rows to look at,
 *                rest of the bytes: key to begin at
 * </pre>
 */
@SuppressWarnings("ArrayRecordComponent") // carriers; never compared
sealed interface RouteCommand {
  int VERSION = 1;
  int ADD = 1;
  int REMOVE = 2;
  int REMOVE_STALE = 3;

  byte[] encode();

  /** Adds a route or replaces its options. Key and value as in {@link RouteCodec}. */
  record Add(byte[] key, byte[] value) implements RouteCommand {
    @Override
    public byte[] encode() {
      return begin(ADD, key.length + value.length).writeBlock(key).writeBytes(value).toByteArray();
    }
  }

  /** Removes a route if it is there. */
  record Remove(byte[] key) implements RouteCommand {
    @Override
    public byte[] encode() {
      return begin(REMOVE, key.length).writeBlock(key).toByteArray();
    }
  }

  /**
   * Removes routes of a node's earlier processes, looking at some rows from a key on; answered by
   * {@link StaleRoutesRemoved}.
   *
   * @param atMostRows so that no log entry keeps the range busy for long
   */
  record RemoveStale(String node, long incarnation, int atMostRows, byte[] from)
      implements RouteCommand {
    @Override
    public byte[] encode() {
      return begin(REMOVE_STALE, node.length() + from.length + 16)
          .writeString(node)
          .writeLong(incarnation)
          .writeVarint(atMostRows)
          .writeBytes(from)
          .toByteArray();
    }
  }

  private static ByteWriter begin(int kind, int expectedBytes) {
    return new ByteWriter(8 + expectedBytes).writeByte(VERSION).writeByte(kind);
  }

  /**
   * @throws MalformedBytesException if the bytes are no command
   */
  static RouteCommand decode(ByteReader in) {
    NewerFormException.require("route command", VERSION, in.readByte());
    int kind = in.readByte();
    return switch (kind) {
      case ADD -> {
        byte[] key = in.readBlock();
        yield new Add(key, in.readBytes(in.remaining()));
      }
      case REMOVE -> new Remove(in.readBlock());
      case REMOVE_STALE ->
          new RemoveStale(
              in.readString(), in.readLong(), in.readInt(), in.readBytes(in.remaining()));
      default -> throw NewerFormException.unknownKind("route command", kind);
    };
  }
}
