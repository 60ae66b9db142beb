package io.fjordmq.retain;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;

/** A change to retained messages. Each command encodes, decodes and applies itself. */
public sealed interface RetainCommand permits ClearTopic, ExpireMessages, PutMessage {
  /*
   *   1  version 2; version 1 has no publishers
   *   1  kind
   *   .. as described in each command
   */
  int VERSION = 2;

  /** The highest {@link #kind}. */
  int LAST_KIND = ExpireMessages.KIND;

  /**
   * Returns the number that identifies this kind of command in the log; never reused for another
   * kind.
   */
  int kind();

  void write(ByteWriter out);

  /** Applies the command to the rows and returns the response. */
  byte[] apply(RetainRows rows);

  /** Returns an estimate of the encoded size. */
  default int expectedBytes() {
    return 8;
  }

  default byte[] encode() {
    ByteWriter out = new ByteWriter(expectedBytes());
    out.writeByte(VERSION).writeByte(kind());
    write(out);
    return out.toByteArray();
  }

  /** Checks version and kind only, because messages can be large. */
  static void requireReadable(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    readVersion(in);
    int kind = in.readByte();
    if (kind < 1 || kind > LAST_KIND) {
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
  static RetainCommand decode(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    boolean hasPublisher = readVersion(in) > 1;
    int kind = in.readByte();
    return switch (kind) {
      case PutMessage.KIND -> PutMessage.read(in, hasPublisher);
      case ClearTopic.KIND -> ClearTopic.read(in, hasPublisher);
      case ExpireMessages.KIND -> ExpireMessages.read(in);
      default -> throw NewerFormatException.unknownKind("retain command", kind);
    };
  }
}
