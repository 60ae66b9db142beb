package io.fjordmq.cluster.consensus.log;

import io.fjordmq.cluster.consensus.GroupId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Key layout of the shared log database.
 *
 * <pre>
 * column family "entries"
 *   group number u64 | index u64            -> entry (EntryCodec)
 *
 * column family "raft"
 *   'F'                                     -> format version of the database, one byte
 *   'N'                                     -> next group number u64
 *   'G' | group id, ASCII                   -> GroupRecord: number and first members
 *   'H' | group number u64                  -> HardState: term and vote
 *   'I' | group number u64                  -> first index u64 the log may hold
 *   'S' | group number u64                  -> CheckpointRecord: last durable checkpoint
 *   'J' | group number u64                  -> InstallRecord: a snapshot being installed
 *   'C' | group number u64 | index u64      -> empty; the entry there is a configuration
 * </pre>
 *
 * Numbers are big-endian, so that a group's entries are adjacent and in order. Keys contain group
 * numbers instead of group ids because they are shorter. Because numbers are never reused, the
 * remains of a destroyed group are never attributed to another group.
 */
public final class LogKeys {
  static final byte FORMAT_VERSION = 1;

  private LogKeys() {}

  public static byte[] entry(long group, long index) {
    return ByteBuffer.allocate(16).putLong(group).putLong(index).array();
  }

  public static byte[] configuration(long group, long index) {
    return ByteBuffer.allocate(17).put((byte) 'C').putLong(group).putLong(index).array();
  }

  public static byte[] format() {
    return new byte[] {'F'};
  }

  static byte[] nextGroup() {
    return new byte[] {'N'};
  }

  static byte[] groups() {
    return new byte[] {'G'};
  }

  public static byte[] group(GroupId id) {
    byte[] name = id.value().getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(1 + name.length).put((byte) 'G').put(name).array();
  }

  public static GroupId groupOf(byte[] key) {
    return new GroupId(new String(key, 1, key.length - 1, StandardCharsets.US_ASCII));
  }

  public static byte[] hardState(long group) {
    return ofGroup('H', group);
  }

  static byte[] firstIndex(long group) {
    return ofGroup('I', group);
  }

  public static byte[] checkpoint(long group) {
    return ofGroup('S', group);
  }

  static byte[] installs() {
    return new byte[] {'J'};
  }

  public static byte[] install(long group) {
    return ofGroup('J', group);
  }

  /** Returns the index, which is in the last eight bytes of an entry or configuration key. */
  static long indexOf(byte[] key) {
    return ByteBuffer.wrap(key).getLong(key.length - 8);
  }

  static byte[] u64(long value) {
    return ByteBuffer.allocate(8).putLong(value).array();
  }

  static long u64(byte[] bytes) {
    return ByteBuffer.wrap(bytes).getLong();
  }

  private static byte[] ofGroup(char kind, long group) {
    return ByteBuffer.allocate(9).put((byte) kind).putLong(group).array();
  }
}
