package io.fjordmq.router;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;

/** A change to routes. Each command encodes, decodes and applies itself. */
public sealed interface RouteCommand permits AddRoute, RemoveRoute, RemoveStaleRoutes {
  /*
   *   1  version 1
   *   1  kind
   *   .. as described in each command
   */
  int VERSION = 1;

  /**
   * Returns the number that identifies this kind of command in the log; never reused for another
   * kind.
   */
  int kind();

  void write(ByteWriter out);

  /** Applies the command to the rows and returns the response. */
  byte[] apply(RouteRows rows);

  /** Returns an estimate of the encoded size. */
  int expectedBytes();

  default byte[] encode() {
    ByteWriter out = new ByteWriter(expectedBytes());
    out.writeByte(VERSION).writeByte(kind());
    write(out);
    return out.toByteArray();
  }

  /**
   * Decodes a command.
   *
   * @throws MalformedBytesException if the bytes are not a valid command
   */
  static RouteCommand decode(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("route command", VERSION, in.readByte());
    int kind = in.readByte();
    return switch (kind) {
      case AddRoute.KIND -> AddRoute.read(in);
      case RemoveRoute.KIND -> RemoveRoute.read(in);
      case RemoveStaleRoutes.KIND -> RemoveStaleRoutes.read(in);
      default -> throw NewerFormatException.unknownKind("route command", kind);
    };
  }
}
