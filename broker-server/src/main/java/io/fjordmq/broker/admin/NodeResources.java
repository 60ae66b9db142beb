package io.fjordmq.broker.admin;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The resources of a node and of its host.
 *
 * @param memoryUsedBytes heap and network buffers in use
 * @param memoryTotalBytes the maximum of heap and network buffers
 * @param openDescriptors file descriptors in use; 0 if unknown
 * @param maxDescriptors the limit of file descriptors; 0 if unknown
 * @param diskUsedBytes used space of the file system of the data directory
 * @param diskTotalBytes size of that file system
 * @param isDiskLow whether free space is below {@code diskConfig.minFreeBytes}
 * @param load the load of the host
 */
public record NodeResources(
    long memoryUsedBytes,
    long memoryTotalBytes,
    long openDescriptors,
    long maxDescriptors,
    long diskUsedBytes,
    long diskTotalBytes,
    boolean isDiskLow,
    HostLoad load) {
  /*
   *   v  memoryUsedBytes, v memoryTotalBytes
   *   v  openDescriptors, v maxDescriptors
   *   v  diskUsedBytes, v diskTotalBytes
   *   1  1 if the disk is low
   *   v  load in hundredths + 1, over 1, 5 and 15 minutes; 0 if unknown
   */

  void write(ByteWriter out) {
    out.writeVarint(memoryUsedBytes).writeVarint(memoryTotalBytes);
    out.writeVarint(openDescriptors).writeVarint(maxDescriptors);
    out.writeVarint(diskUsedBytes).writeVarint(diskTotalBytes);
    out.writeByte(isDiskLow ? 1 : 0);
    load.write(out);
  }

  static NodeResources read(ByteReader in) {
    return new NodeResources(
        in.readVarint(),
        in.readVarint(),
        in.readVarint(),
        in.readVarint(),
        in.readVarint(),
        in.readVarint(),
        in.readByte() != 0,
        HostLoad.read(in));
  }
}
