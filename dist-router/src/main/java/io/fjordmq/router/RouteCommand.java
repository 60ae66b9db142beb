package io.fjordmq.router;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormatException;

/**
 * A change of routes, as encoded in the log.
 *
 * <pre>
 * u8  version, 1
 * u8  kind: 1 add, 2 remove, 3 remove stale
 * add:           block key, rest of the bytes: value
 * remove:        block key
 * remove stale:  string node, u64 incarnation, varint maximum number of rows to examine,
 *                rest of the bytes: first key to examine
 * </pre>
 */
@SuppressWarnings("ArrayRecordComponent") // carriers; never compared
sealed interface RouteCommand {
  int VERSION = 1;
  int ADD = 1;
  int REMOVE = 2;
  int REMOVE_STALE = 3;

  byte[] encode();

  /** Adds a route or replaces its options. {@link RouteCodec} describes key and value. */
  record Add(byte[] key, byte[] value) implements RouteCommand {
    @Override
    public byte[] encode() {
      return begin(ADD, key.length + value.length).writeBlock(key).writeBytes(value).toByteArray();
    }
  }

  /** Removes a route if it exists. */
  record Remove(byte[] key) implements RouteCommand {
    @Override
    public byte[] encode() {
      return begin(REMOVE, key.length).writeBlock(key).toByteArray();
    }
  }

  /**
   * Removes the routes of a node's earlier incarnations from a limited number of rows; answered by
   * {@link StaleRoutesRemoved}.
   *
   * @param incarnation routes of lower incarnations are removed
   * @param atMostRows maximum number of rows to examine, so that no log entry keeps the range busy
   *     for long
   * @param from first key to examine
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
   * @throws MalformedBytesException if the bytes are not a command
   */
  static RouteCommand decode(ByteReader in) {
    NewerFormatException.require("route command", VERSION, in.readByte());
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
      default -> throw NewerFormatException.unknownKind("route command", kind);
    };
  }
}
