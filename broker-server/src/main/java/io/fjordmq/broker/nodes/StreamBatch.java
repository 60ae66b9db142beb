package io.fjordmq.broker.nodes;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.List;

/**
 * Consecutive items of a stream, as sent to the other node.
 *
 * <pre>
 * u8     version, 1
 * u64    incarnation of the sender
 * u64    incarnation of the receiver
 * u64    number of the first item, from 1
 * varint count, then each item as a block
 * </pre>
 *
 * <p>The receiver responds once every item is settled: {@code u8 version, 1 | varint count | each:
 * u8}. The outcome of an item is 0 if it was rejected, 1 if it was accepted, and 2 if the receiver
 * has no capacity for it (only for items of kinds 10 and 11).
 *
 * @param senderIncarnation incarnation of the sender; item numbers start at 1 in each incarnation
 * @param receiverIncarnation incarnation of the receiver; any other incarnation rejects the batch
 * @param firstNumber number of the first item
 * @param items encoded items
 */
record StreamBatch(
    long senderIncarnation, long receiverIncarnation, long firstNumber, List<byte[]> items) {
  static final int VERSION = 1;
  private static final int HEAD_BYTES = 32;

  byte[] encode() {
    int size = HEAD_BYTES;
    for (byte[] item : items) {
      size += 5 + item.length;
    }
    ByteWriter out = new ByteWriter(size);
    out.writeByte(VERSION)
        .writeLong(senderIncarnation)
        .writeLong(receiverIncarnation)
        .writeLong(firstNumber);
    out.writeVarint(items.size());
    items.forEach(out::writeBlock);
    return out.toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a valid batch
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

  static byte[] encodeResponse(ItemOutcome[] outcomes) {
    ByteWriter out = new ByteWriter(6 + outcomes.length);
    out.writeByte(VERSION).writeVarint(outcomes.length);
    for (ItemOutcome one : outcomes) {
      out.writeByte(
          switch (one) {
            case ACCEPTED -> 1;
            case NO_CAPACITY -> 2;
            default -> 0;
          });
    }
    return out.toByteArray();
  }

  /**
   * @param count the number of items that were sent
   * @throws MalformedBytesException if the bytes do not contain exactly this many outcomes
   */
  static ItemOutcome[] decodeResponse(byte[] bytes, int count) {
    ByteReader in = new ByteReader(bytes);
    requireVersion(in);
    if (in.readCount(1) != count) {
      throw new MalformedBytesException(
          "the response does not have one outcome for each of " + count + " items");
    }
    ItemOutcome[] outcomes = new ItemOutcome[count];
    for (int i = 0; i < count; i++) {
      int outcome = in.readByte();
      outcomes[i] =
          switch (outcome) {
            case 0 -> ItemOutcome.REJECTED;
            case 1 -> ItemOutcome.ACCEPTED;
            case 2 -> ItemOutcome.NO_CAPACITY;
            default -> throw NewerFormatException.unknownKind("item outcome", outcome);
          };
    }
    in.requireEnd();
    return outcomes;
  }

  private static void requireVersion(ByteReader in) {
    NewerFormatException.require("batch of items between nodes", VERSION, in.readByte());
  }
}
