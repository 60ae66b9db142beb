package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The keys of the inbox store. */
public final class InboxKeys {
  /*
   * Every key starts with the bucket of its inbox, a hash of tenant and client id. Load is
   * therefore spread over all initial ranges, and a split between two buckets does not split an
   * inbox.
   *
   *   2 bucket | 1 table | rest                                                value
   *
   *   STATE     1  tenant, 00, client id (UTF-8)                               InboxState
   *   DUE       2  8 due at, millis | 1 kind | subject                         empty
   *                  kind SESSION  1: tenant, 00, client id
   *                  kind WILL     2: 8 incarnation | 8 epoch
   *                  kind PRODUCER 3: 8 incarnation | 8 producer
   *                  kind UNDELIVERED 4: 8 incarnation
   *   WILL      3  8 incarnation | 8 epoch                                     DueWillRow
   *   CURSOR    4  8 incarnation                                               InboxCursor
   *   ROWS      5  8 incarnation | 1 kind | rest
   *                  kind SUBSCRIPTION 1: topic filter (UTF-8)                 SubscriptionRow
   *                  kind RELEASED     2: 8 sequence                           ReleasedRow
   *                  kind RECEIVED     3: 2 packet identifier                  varint sequence
   *                  kind PRODUCER     4: 8 producer                           ProducerRow
   *                  kind ENTRY        5: 8 sequence                           EntryRow
   *                  kind UNDELIVERED  6: of an inbox that has ended           UndeliveredRow
   *
   * An incarnation identifies one inbox within its bucket. The small tables come first, so that a
   * replica can read them on opening without scanning messages.
   */

  static final int STATE = 1;
  static final int DUE = 2;
  static final int WILL = 3;
  static final int CURSOR = 4;
  static final int ROWS = 5;

  static final int DUE_SESSION = 1;
  static final int DUE_WILL = 2;
  static final int DUE_PRODUCER = 3;
  static final int DUE_UNDELIVERED = 4;

  static final int SUBSCRIPTION = 1;
  static final int RELEASED = 2;
  static final int RECEIVED = 3;
  static final int PRODUCER = 4;
  static final int ENTRY = 5;
  static final int UNDELIVERED = 6;

  private InboxKeys() {}

  /** Returns the split keys that divide the key space into this many ranges of equal size. */
  public static List<byte[]> evenSplits(int ranges) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 1; i < ranges; i++) {
      keys.add(bucketStart(i * InboxId.BUCKETS / ranges));
    }
    return keys;
  }

  public static byte[] bucketStart(int bucket) {
    return new byte[] {(byte) (bucket >>> 8), (byte) bucket};
  }

  /**
   * Returns the first key of the bucket that a key belongs to. For a key shorter than a bucket,
   * returns the empty key.
   */
  static byte[] bucketStartOf(byte[] key) {
    return key.length < 2 ? new byte[0] : new byte[] {key[0], key[1]};
  }

  static int bucketOf(byte[] key) {
    return (key[0] & 0xFF) << 8 | (key[1] & 0xFF);
  }

  static int tableOf(byte[] key) {
    return key[2];
  }

  static byte[] tableStart(int bucket, int table) {
    return new byte[] {(byte) (bucket >>> 8), (byte) bucket, (byte) table};
  }

  static byte[] state(int bucket, InboxId id) {
    return writeId(start(bucket, STATE, 48), id).toByteArray();
  }

  static InboxId idOfState(byte[] key) {
    ByteReader in = new ByteReader(key);
    in.readBytes(3);
    return readId(in);
  }

  /** Reads the id at the end of a key. */
  static InboxId readId(ByteReader in) {
    String text = new String(in.readBytes(in.remaining()), StandardCharsets.UTF_8);
    int zero = text.indexOf(0);
    return new InboxId(text.substring(0, zero), text.substring(zero + 1));
  }

  private static ByteWriter writeId(ByteWriter out, InboxId id) {
    return out.writeBytes(id.tenant().getBytes(StandardCharsets.UTF_8))
        .writeByte(0)
        .writeBytes(id.clientId().getBytes(StandardCharsets.UTF_8));
  }

  static byte[] dueSession(int bucket, long dueAtMillis, InboxId id) {
    ByteWriter out = start(bucket, DUE, 64).writeLong(dueAtMillis).writeByte(DUE_SESSION);
    return writeId(out, id).toByteArray();
  }

  static byte[] dueWill(int bucket, long dueAtMillis, long incarnation, long epoch) {
    return start(bucket, DUE, 28)
        .writeLong(dueAtMillis)
        .writeByte(DUE_WILL)
        .writeLong(incarnation)
        .writeLong(epoch)
        .toByteArray();
  }

  static byte[] dueProducer(int bucket, long dueAtMillis, long incarnation, long producer) {
    return start(bucket, DUE, 28)
        .writeLong(dueAtMillis)
        .writeByte(DUE_PRODUCER)
        .writeLong(incarnation)
        .writeLong(producer)
        .toByteArray();
  }

  static byte[] dueUndelivered(int bucket, long dueAtMillis, long incarnation) {
    return start(bucket, DUE, 20)
        .writeLong(dueAtMillis)
        .writeByte(DUE_UNDELIVERED)
        .writeLong(incarnation)
        .toByteArray();
  }

  /** Returns the end (exclusive) of all rows that are due at this time. */
  static byte[] dueEnd(int bucket, long nowMillis) {
    return start(bucket, DUE, 16).writeLong(nowMillis + 1).toByteArray();
  }

  static long dueAtOf(byte[] dueKey) {
    ByteReader in = new ByteReader(dueKey);
    in.readBytes(3);
    return in.readLong();
  }

  static byte[] will(int bucket, long incarnation, long epoch) {
    return start(bucket, WILL, 19).writeLong(incarnation).writeLong(epoch).toByteArray();
  }

  static long epochOfWill(byte[] willKey) {
    return ByteBuffer.wrap(willKey).getLong(willKey.length - Long.BYTES);
  }

  static byte[] cursor(int bucket, long incarnation) {
    return start(bucket, CURSOR, 16).writeLong(incarnation).toByteArray();
  }

  /** Returns the first key of an inbox in the table ROWS. */
  static byte[] rows(int bucket, long incarnation) {
    return start(bucket, ROWS, 16).writeLong(incarnation).toByteArray();
  }

  /** Returns the first key of one kind of rows; the first key of the next kind is their end. */
  static byte[] kindStart(int bucket, long incarnation, int kind) {
    return row(bucket, incarnation, kind, 16).toByteArray();
  }

  static byte[] subscription(int bucket, long incarnation, String filter) {
    return row(bucket, incarnation, SUBSCRIPTION, 48)
        .writeBytes(filter.getBytes(StandardCharsets.UTF_8))
        .toByteArray();
  }

  static byte[] released(int bucket, long incarnation, long sequence) {
    return row(bucket, incarnation, RELEASED, 20).writeLong(sequence).toByteArray();
  }

  static byte[] received(int bucket, long incarnation, int packetIdentifier) {
    return row(bucket, incarnation, RECEIVED, 16).writeShort(packetIdentifier).toByteArray();
  }

  static byte[] producer(int bucket, long incarnation, long producer) {
    return row(bucket, incarnation, PRODUCER, 20).writeLong(producer).toByteArray();
  }

  static byte[] entry(int bucket, long incarnation, long sequence) {
    return row(bucket, incarnation, ENTRY, 20).writeLong(sequence).toByteArray();
  }

  static byte[] undelivered(int bucket, long incarnation) {
    return kindStart(bucket, incarnation, UNDELIVERED);
  }

  /** Returns a reader for the part after bucket, table, incarnation and kind. */
  static ByteReader restOfRow(byte[] key) {
    ByteReader in = new ByteReader(key);
    in.readBytes(12);
    return in;
  }

  private static ByteWriter start(int bucket, int table, int expectedBytes) {
    return new ByteWriter(expectedBytes).writeShort(bucket).writeByte(table);
  }

  private static ByteWriter row(int bucket, long incarnation, int kind, int expectedBytes) {
    return start(bucket, ROWS, expectedBytes).writeLong(incarnation).writeByte(kind);
  }
}
