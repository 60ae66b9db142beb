package io.fjordmq.retain;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;

/**
 * A change to retained messages, as it stands in the log.
 *
 * <pre>
 * u8  version, 1
 * u8  kind: 1 put, 2 clear, 3 expire
 * put:     u8 onlyReplace, varint expiresAtMillis, block key, rest of the bytes: message
 * clear:   block key
 * expire:  varint how many at most
 * </pre>
 */
sealed interface RetainCommand {
  int VERSION = 1;
  int PUT = 1;
  int CLEAR = 2;
  int EXPIRE = 3;

  byte[] encode();

  /**
   * Keeps a message.
   *
   * @param onlyReplace refuse it unless its topic has a retained message already: the store is full
   * @param message encoded
   */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Put(byte[] key, long expiresAtMillis, boolean onlyReplace, byte[] message)
      implements RetainCommand {
    @Override
    public byte[] encode() {
      return new ByteWriter(24 + key.length + message.length)
          .writeByte(VERSION)
          .writeByte(PUT)
          .writeByte(onlyReplace ? 1 : 0)
          .writeVarint(expiresAtMillis)
          .writeBlock(key)
          .writeBytes(message)
          .toByteArray();
    }
  }

  /** Forgets a topic's message. */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Clear(byte[] key) implements RetainCommand {
    @Override
    public byte[] encode() {
      return new ByteWriter(8 + key.length)
          .writeByte(VERSION)
          .writeByte(CLEAR)
          .writeBlock(key)
          .toByteArray();
    }
  }

  /** Removes messages whose time has come. */
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

  /**
   * @throws MalformedBytesException if the bytes are no command
   */
  static RetainCommand decode(ByteReader in) {
    int version = in.readByte();
    if (version != VERSION) {
      throw new MalformedBytesException("retain command of unknown version " + version);
    }
    int kind = in.readByte();
    return switch (kind) {
      case PUT -> {
        boolean onlyReplace = in.readByte() != 0;
        long expiresAtMillis = in.readVarint();
        byte[] key = in.readBlock();
        yield new Put(key, expiresAtMillis, onlyReplace, in.readBytes(in.remaining()));
      }
      case CLEAR -> new Clear(in.readBlock());
      case EXPIRE -> new Expire(in.readInt());
      default -> throw new MalformedBytesException("unknown kind of retain command: " + kind);
    };
  }
}
