package io.fjordmq.broker.admin;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;

/**
 * What a running node reports about itself.
 *
 * @param version the version of FjordMQ
 * @param uptimeMillis time since the node started
 * @param clients number of connected clients
 */
public record NodeReport(String version, long uptimeMillis, long clients) {
  /*
   *   1  version 1
   *   s  version of FjordMQ
   *   v  uptimeMillis
   *   v  clients
   */
  private static final int VERSION = 1;

  byte[] encode() {
    return new ByteWriter(32)
        .writeByte(VERSION)
        .writeString(version)
        .writeVarint(uptimeMillis)
        .writeVarint(clients)
        .toByteArray();
  }

  /**
   * Decodes the result of {@link #encode}.
   *
   * @throws io.fjordmq.common.MalformedBytesException if the bytes have another format
   */
  static NodeReport decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("node report", VERSION, in.readByte());
    NodeReport report = new NodeReport(in.readString(), in.readVarint(), in.readVarint());
    in.requireEnd();
    return report;
  }
}
