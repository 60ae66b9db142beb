package io.fjordmq.broker.admin;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import org.jspecify.annotations.Nullable;

/**
 * The report of a running node about itself.
 *
 * @param version the version of FjordMQ
 * @param uptimeMillis time since the node started
 * @param clients number of connected clients
 * @param resources the resources of the node; null if a node of an earlier version does not report
 *     them
 */
public record NodeReport(
    String version, long uptimeMillis, long clients, @Nullable NodeResources resources) {
  /*
   *   1  version 2; version 1 ends before the resources
   *   s  version of FjordMQ
   *   v  uptimeMillis
   *   v  clients
   *   .. resources
   */
  private static final int VERSION = 2;

  private static final int VERSION_WITHOUT_RESOURCES = 1;

  byte[] encode() {
    ByteWriter out =
        new ByteWriter(96)
            .writeByte(resources == null ? VERSION_WITHOUT_RESOURCES : VERSION)
            .writeString(version)
            .writeVarint(uptimeMillis)
            .writeVarint(clients);
    if (resources != null) {
      resources.write(out);
    }
    return out.toByteArray();
  }

  /**
   * Decodes the result of {@link #encode}.
   *
   * @throws io.fjordmq.common.MalformedBytesException if the bytes have another format
   */
  static NodeReport decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    int version = in.readByte();
    if (version != VERSION_WITHOUT_RESOURCES) {
      NewerFormatException.require("node report", VERSION, version);
    }
    NodeReport report =
        new NodeReport(
            in.readString(),
            in.readVarint(),
            in.readVarint(),
            version == VERSION_WITHOUT_RESOURCES ? null : NodeResources.read(in));
    in.requireEnd();
    return report;
  }
}
