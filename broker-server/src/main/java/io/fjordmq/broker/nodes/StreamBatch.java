package io.fjordmq.broker.nodes;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormException;
import java.util.ArrayList;
import java.util.List;

/**
 * Some items of a stream, one after the other, as they travel.
 *
 * <pre>
 * u8     version, 1
 * u64    incarnation of the sender
 * u64    incarnation of the receiver
 * u64    number of the first item, from 1
 * varint count, then each item as a block
 * </pre>
 *
 * <p>The answer, once every item is settled: {@code u8 version, 1 | varint count | each: u8 1 if it
 * was taken, else 0}.
 *
 * @param sender incarnation; numbers begin anew with each
 * @param receiver incarnation; another life of the node does not take it
 * @param first number of the first item
 * @param items encoded
 */
record StreamBatch(long sender, long receiver, long first, List<byte[]> items) {
  static final int VERSION = 1;
  private static final int HEAD_BYTES = 32;

  byte[] encode() {
    int size = HEAD_BYTES;
    for (byte[] item : items) {
      size += 5 + item.length;
    }
    ByteWriter out = new ByteWriter(size);
    out.writeByte(VERSION).writeLong(sender).writeLong(receiver).writeLong(first);
    out.writeVarint(items.size());
    items.forEach(out::writeBlock);
    return out.toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are no batch
   */
  static StreamBatch decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    requireVersion(in);
    long sender = in.readLong();
    long receiver = in.readLong();
    long first = in.readLong();
    int count = in.readCount(1);
    List<byte[]> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      items.add(in.readBlock());
    }
    in.requireEnd();
    return new StreamBatch(sender, receiver, first, items);
  }

  static byte[] encodeAnswer(boolean[] taken) {
    ByteWriter out = new ByteWriter(6 + taken.length);
    out.writeByte(VERSION).writeVarint(taken.length);
    for (boolean one : taken) {
      out.writeByte(one ? 1 : 0);
    }
    return out.toByteArray();
  }

  /**
   * @param count of the items that were sent
   * @throws MalformedBytesException if the bytes do not answer so many items
   */
  static boolean[] decodeAnswer(byte[] bytes, int count) {
    ByteReader in = new ByteReader(bytes);
    requireVersion(in);
    if (in.readCount(1) != count) {
      throw new MalformedBytesException("an answer to another number of items than " + count);
    }
    boolean[] taken = new boolean[count];
    for (int i = 0; i < count; i++) {
      taken[i] = in.readByte() != 0;
    }
    in.requireEnd();
    return taken;
  }

  private static void requireVersion(ByteReader in) {
    NewerFormException.require("batch of items between nodes", VERSION, in.readByte());
  }
}
