package io.fjordmq.retain;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormatException;

/**
 * A change to retained messages, in the format of the log.
 *
 * <pre>
 * u8  version, 2
 * u8  kind: 1 put, 2 clear, 3 expire
 * put:     u8 flags: bit 0 onlyReplace, bit 1 growth is limited; varint expiresAtMillis;
 *          varint maximum growth, if limited; publisher; block key; rest of the bytes: message
 * clear:   publisher; block key
 * expire:  varint maximum number of removals
 * version 1 has no publishers
 * </pre>
 */
sealed interface RetainCommand {
  int VERSION = 2;
  int PUT = 1;
  int CLEAR = 2;
  int EXPIRE = 3;
  int ONLY_REPLACE = 1;
  int LIMITED_ROOM = 1 << 1;

  byte[] encode();

  /**
   * Retains a message.
   *
   * @param onlyReplace true if the store is full: reject the message unless its topic already has
   *     one
   * @param room reject the message if its row grows by more bytes; {@link Long#MAX_VALUE} for no
   *     limit
   * @param message the encoded message
   */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Put(
      byte[] key,
      long expiresAtMillis,
      boolean onlyReplace,
      long maxGrowth,
      RetainPublisher retainPublisher,
      byte[] message)
      implements RetainCommand {
    static final long ANY = Long.MAX_VALUE;

    @Override
    public byte[] encode() {
      ByteWriter out =
          new ByteWriter(34 + RetainPublisher.MAX_BYTES + key.length + message.length)
              .writeByte(VERSION)
              .writeByte(PUT)
              .writeByte((onlyReplace ? ONLY_REPLACE : 0) | (maxGrowth == ANY ? 0 : LIMITED_ROOM))
              .writeVarint(expiresAtMillis);
      if (maxGrowth != ANY) {
        out.writeVarint(maxGrowth);
      }
      retainPublisher.write(out);
      return out.writeBlock(key).writeBytes(message).toByteArray();
    }
  }

  /** Removes the retained message of a topic. */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Clear(byte[] key, RetainPublisher retainPublisher) implements RetainCommand {
    @Override
    public byte[] encode() {
      ByteWriter out =
          new ByteWriter(8 + RetainPublisher.MAX_BYTES + key.length)
              .writeByte(VERSION)
              .writeByte(CLEAR);
      retainPublisher.write(out);
      return out.writeBlock(key).toByteArray();
    }
  }

  /** Removes expired messages and clear markers. */
  record Expire(int atMost) implements RetainCommand {
    @Override
    public byte[] encode() {
      return new ByteWriter(8)
          .writeByte(VERSION)
          .writeByte(EXPIRE)
          .writeVarint(atMost)
          .toByteArray();
    }
  }

  /** Checks version and kind only, because messages can be large. */
  static void requireReadable(ByteReader in) {
    readVersion(in);
    int kind = in.readByte();
    if (kind != PUT && kind != CLEAR && kind != EXPIRE) {
      throw NewerFormatException.unknownKind("retain command", kind);
    }
  }

  private static int readVersion(ByteReader in) {
    int version = in.readByte();
    if (version != 1) {
      NewerFormatException.require("retain command", VERSION, version);
    }
    return version;
  }

  /**
   * Decodes a command.
   *
   * @throws MalformedBytesException if the bytes are not a valid command
   */
  static RetainCommand decode(ByteReader in) {
    boolean hasPublishers = readVersion(in) > 1;
    int kind = in.readByte();
    return switch (kind) {
      case PUT -> {
        int flags = in.readByte();
        long expiresAtMillis = in.readVarint();
        long room = (flags & LIMITED_ROOM) == 0 ? Put.ANY : in.readVarint();
        RetainPublisher retainPublisher =
            hasPublishers ? RetainPublisher.read(in) : RetainPublisher.NOBODY;
        byte[] key = in.readBlock();
        boolean onlyReplace = (flags & ONLY_REPLACE) != 0;
        byte[] message = in.readBytes(in.remaining());
        yield new Put(key, expiresAtMillis, onlyReplace, room, retainPublisher, message);
      }
      case CLEAR -> {
        RetainPublisher retainPublisher =
            hasPublishers ? RetainPublisher.read(in) : RetainPublisher.NOBODY;
        yield new Clear(in.readBlock(), retainPublisher);
      }
      case EXPIRE -> new Expire(in.readInt());
      default -> throw NewerFormatException.unknownKind("retain command", kind);
    };
  }
}
