package io.fjordmq.range;

import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The content of an entry in a range's log, and its format.
 *
 * <p>A sender is a client of a range, identified by a number that the range has assigned to it
 * ({@link Register}). It numbers its batches in ascending order, has only one batch in flight at a
 * time, and resends that batch unchanged until it knows the outcome (Ongaro, <i>Consensus: Bridging
 * Theory and Practice</i>, §6.3).
 *
 * <pre>
 * u8   format, 1; 2 if the entry was stamped at a cluster level above 1
 * u8   kind: 2 register, 3 split, 4 freeze, 5 absorb, 6 bump epoch, 7 unfreeze, 8 mutations,
 *      9 reset clock, 10 compare, 1 mutations without a response limit
 * u64  cluster time in milliseconds since the epoch; until proposed 0, or 2 if the leader may defer
 *      the batch and tell the sender when to send the next one (1: earlier versions, which cannot
 *      be told). In format 2, the upper 16 bits are the cluster level (decision 0101)
 * -- mutations only:
 * u64  epoch version that the sender routed by
 * u64  sender
 * u64  batch number
 * varint response bytes at which the batch stops; absent in kind 1
 * varint commands, then as many: varint length, bytes
 * -- register only:
 * u64  number of senders that the range remembers, 0 until proposed
 * -- all others:
 * u64  epoch version of the range that the decision was based on
 * -- freeze and absorb only:
 * u64  number of the neighbor
 * u64  epoch version of the neighbor
 * -- split only:
 * u64  number of the new range
 * block key
 * varint voters,   then as many texts: node ids in ascending order
 * varint learners, then as many texts: node ids in ascending order
 * -- compare only, at levels from 2:
 * varint bytes at which the slice ends
 * block  first row of the slice, empty for the first row of the range
 * </pre>
 */
public sealed interface RangeEntry {
  /** Returns cluster time at which the entry was proposed, in milliseconds since the epoch. */
  long clockMillis();

  /**
   * A numbered batch of commands.
   *
   * @param maxBatchResponseBytes soft limit for the total size of the responses: the command that
   *     reaches it is the last one applied, and the sender sends the remaining commands again. Part
   *     of the entry, so that all replicas stop at the same command
   * @param commands read-only; valid as long as the bytes they were decoded from
   */
  record Mutations(
      long clockMillis,
      long epochVersion,
      long sender,
      long number,
      int maxBatchResponseBytes,
      List<ByteBuffer> commands)
      implements RangeEntry {}

  /**
   * Requests a sender number.
   *
   * @param maxSenders number of senders that the range remembers from this entry on: the leader's
   *     configuration, part of the entry so that all replicas forget the same senders
   */
  record Register(long clockMillis, int maxSenders) implements RangeEntry {}

  /**
   * Splits the range (decision 0025): the keys at and above {@code key} move to a new range.
   *
   * @param number number of the new range
   * @param replicas replicas of both ranges: those of the group at this log position
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Split(long clockMillis, long epochVersion, long number, byte[] key, ReplicaSet replicas)
      implements RangeEntry {}

  /**
   * Freezes the range so that its left neighbor can absorb it (decision 0028).
   *
   * @param left number of the neighbor
   * @param leftVersion epoch version of the neighbor; it absorbs the range only while it has this
   *     version
   */
  record Freeze(long clockMillis, long epochVersion, long left, long leftVersion)
      implements RangeEntry {}

  /**
   * Absorbs the keys of the right neighbor, which every replica has frozen for this range.
   *
   * @param right number of the neighbor
   * @param rightVersion epoch version of the neighbor
   */
  record Absorb(long clockMillis, long epochVersion, long right, long rightVersion)
      implements RangeEntry {}

  /**
   * Raises the epoch version of the left range, so that an abandoned merge can no longer happen.
   */
  record BumpEpoch(long clockMillis, long epochVersion) implements RangeEntry {}

  /**
   * Unfreezes a range. Possible only if the epoch version of its left neighbor has changed since
   * the freeze.
   */
  record Unfreeze(long clockMillis, long epochVersion) implements RangeEntry {}

  /** Sets the range's clock back to the time of this entry if it is far ahead (decision 0037). */
  record ResetClock(long clockMillis, long epochVersion) implements RangeEntry {}

  /**
   * Makes every replica hash a slice of its rows as of this entry (decision 0102). Changes nothing.
   *
   * @param maxBytes size of the keys and values at which the slice ends, at least 1
   * @param from where the slice begins, as a row of the store's space; empty for the first row
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Compare(long clockMillis, long epochVersion, int maxBytes, byte[] from)
      implements RangeEntry {}

  int FORMAT = 1;
  int FORMAT_WITH_LEVEL = 2;
  int LEVEL_SHIFT = 48;

  /** The latest cluster time that entries with a level can contain, in the year 10889. */
  long MAX_CLOCK_WITH_LEVEL = (1L << LEVEL_SHIFT) - 1;

  int UNBOUNDED_MUTATIONS = 1;
  int REGISTER = 2;
  int SPLIT = 3;
  int FREEZE = 4;
  int ABSORB = 5;
  int BUMP_EPOCH = 6;
  int UNFREEZE = 7;
  int MUTATIONS = 8;
  int RESET_CLOCK = 9;
  int COMPARE = 10;

  /** The cluster level from which on all nodes can read {@link Compare}. */
  int COMPARE_LEVEL = 2;

  int CLOCK_OFFSET = 2;

  /** Stands in for the cluster time of a batch of an earlier version that may be deferred. */
  long DEFERRABLE = 1;

  /** Stands in for the cluster time of a batch that may be deferred and whose sender is paced. */
  long PACED = 2;

  int MAX_SENDERS_OFFSET = 10;
  int SENDER_OFFSET = 18;

  /** Maximum bytes of a {@link Mutations} entry in addition to its commands. */
  int MUTATIONS_OVERHEAD = 1 + 1 + 8 + 8 + 8 + 8 + 5 + 5;

  /** Maximum bytes of framing for each command. */
  int COMMAND_OVERHEAD = 5;

  /** Encodes a batch before a leader stamps it. */
  static byte[] encodeMutations(
      long epochVersion,
      long sender,
      long number,
      int maxBatchResponseBytes,
      List<byte[]> commands) {
    int size = 1 + 1 + 8 + 8 + 8 + 8;
    size += ByteWriter.varintBytes(maxBatchResponseBytes) + ByteWriter.varintBytes(commands.size());
    for (byte[] command : commands) {
      size += ByteWriter.blockBytes(command.length);
    }
    ByteWriter out = new ByteWriter(size);
    out.writeByte(FORMAT).writeByte(MUTATIONS).writeLong(0);
    out.writeLong(epochVersion).writeLong(sender).writeLong(number);
    out.writeVarint(maxBatchResponseBytes).writeVarint(commands.size());
    commands.forEach(out::writeBlock);
    return out.toByteArray();
  }

  static byte[] encodeRegister() {
    return ByteBuffer.allocate(MAX_SENDERS_OFFSET + 8)
        .put((byte) FORMAT)
        .put((byte) REGISTER)
        .array();
  }

  static byte[] encodeSplit(long epochVersion, long number, byte[] key, ReplicaSet replicas) {
    ByteWriter out = new ByteWriter(128);
    out.writeByte(FORMAT).writeByte(SPLIT).writeLong(0);
    out.writeLong(epochVersion).writeLong(number).writeBlock(key);
    RangeDescriptorCodec.writeReplicas(out, replicas);
    return out.toByteArray();
  }

  static byte[] encodeFreeze(long epochVersion, long left, long leftVersion) {
    return encode(FREEZE, epochVersion, left, leftVersion);
  }

  static byte[] encodeAbsorb(long epochVersion, long right, long rightVersion) {
    return encode(ABSORB, epochVersion, right, rightVersion);
  }

  static byte[] encodeBumpEpoch(long epochVersion) {
    return encode(BUMP_EPOCH, epochVersion);
  }

  static byte[] encodeUnfreeze(long epochVersion) {
    return encode(UNFREEZE, epochVersion);
  }

  static byte[] encodeResetClock(long epochVersion) {
    return encode(RESET_CLOCK, epochVersion);
  }

  /** Encodes an entry that must only be proposed at {@link #COMPARE_LEVEL} and above. */
  static byte[] encodeCompare(long epochVersion, int maxBytes, byte[] from) {
    ByteWriter out = new ByteWriter(2 + 8 + 8 + 5 + 5 + from.length);
    out.writeByte(FORMAT).writeByte(COMPARE).writeLong(0);
    out.writeLong(epochVersion).writeVarint(maxBytes).writeBlock(from);
    return out.toByteArray();
  }

  private static byte[] encode(int kind, long... fields) {
    ByteWriter out = new ByteWriter(2 + 8 + 8 * fields.length);
    out.writeByte(FORMAT).writeByte(kind).writeLong(0);
    for (long field : fields) {
      out.writeLong(field);
    }
    return out.toByteArray();
  }

  /**
   * Allows the leader to defer an encoded batch for a few milliseconds, so that it is appended
   * together with those of other senders, and to tell its sender when to send the next one. A
   * leader that does not know the mark overwrites it.
   */
  static void markDeferrable(byte[] mutations) {
    ByteBuffer.wrap(mutations).putLong(CLOCK_OFFSET, PACED);
  }

  /** Returns whether an entry that no leader has stamped yet may be deferred. */
  static boolean isDeferrable(byte[] entry) {
    return isMutations(entry) && (mark(entry) == PACED || mark(entry) == DEFERRABLE);
  }

  /**
   * Returns whether the sender of an entry that no leader has stamped yet understands {@link
   * RangeResult.Applied#nextBatchMicros}.
   */
  static boolean isPaced(byte[] entry) {
    return isMutations(entry) && mark(entry) == PACED;
  }

  /** Returns the sender of an encoded batch; 0 for any other entry. */
  static long senderOf(byte[] entry) {
    return isMutations(entry) ? ByteBuffer.wrap(entry).getLong(SENDER_OFFSET) : 0;
  }

  private static boolean isMutations(byte[] entry) {
    return entry.length >= SENDER_OFFSET + Long.BYTES && entry[1] == MUTATIONS;
  }

  private static long mark(byte[] entry) {
    return ByteBuffer.wrap(entry).getLong(CLOCK_OFFSET);
  }

  /**
   * Returns whether the bytes are an entry that changes the range's interval, epoch or freeze
   * state.
   */
  static boolean isRangeChange(ByteBuffer bytes) {
    if (bytes.remaining() < 2) {
      return false;
    }
    int kind = bytes.get(bytes.position() + 1);
    return kind >= SPLIT && kind <= UNFREEZE;
  }

  /**
   * Writes the values that the leader decides into an encoded entry, in place. An entry that has
   * been stamped before, by any leader, can be stamped again.
   *
   * @param level the cluster level; {@link #levelOf} returns it
   * @throws MalformedBytesException if the bytes are too short for an entry
   * @throws IllegalArgumentException if the level is above 1 and the time exceeds {@link
   *     #MAX_CLOCK_WITH_LEVEL}
   */
  static void stamp(byte[] entry, long clockMillis, int level, int maxSenders) {
    if (entry.length < MAX_SENDERS_OFFSET + 8) {
      throw new MalformedBytesException(
          "range entry has %d bytes, expected at least %d"
              .formatted(entry.length, MAX_SENDERS_OFFSET + 8));
    }
    boolean hasLevel = level != SupportedLevels.FIRST;
    if (hasLevel && (clockMillis < 0 || clockMillis > MAX_CLOCK_WITH_LEVEL)) {
      throw new IllegalArgumentException(
          "cluster time must be between 0 and %d ms, not %d"
              .formatted(MAX_CLOCK_WITH_LEVEL, clockMillis));
    }
    long stamp = hasLevel ? (long) level << LEVEL_SHIFT | clockMillis : clockMillis;
    entry[0] = (byte) (hasLevel ? FORMAT_WITH_LEVEL : FORMAT);
    ByteBuffer out = ByteBuffer.wrap(entry).putLong(CLOCK_OFFSET, stamp);
    if (entry[1] == REGISTER) {
      out.putLong(MAX_SENDERS_OFFSET, maxSenders);
    }
  }

  /**
   * Returns the cluster level at which the leader stamped an entry.
   *
   * @throws MalformedBytesException if the bytes are not an entry
   */
  static int levelOf(ByteBuffer bytes) {
    if (bytes.remaining() < CLOCK_OFFSET + Long.BYTES) {
      throw new MalformedBytesException(
          "range entry has %d bytes, expected at least %d"
              .formatted(bytes.remaining(), CLOCK_OFFSET + Long.BYTES));
    }
    return bytes.get(bytes.position()) == FORMAT_WITH_LEVEL
        ? bytes.getShort(bytes.position() + CLOCK_OFFSET) & SupportedLevels.MAX
        : SupportedLevels.FIRST;
  }

  /**
   * Checks that this node knows how to apply an entry.
   *
   * @throws NewerFormatException if the entry was stamped at a later level
   * @throws MalformedBytesException if the bytes are not an entry, or it was stamped at a level
   *     that is no longer supported
   */
  static void requireLevel(ByteBuffer bytes, SupportedLevels supported) {
    int level = levelOf(bytes);
    if (!supported.contains(level)) {
      NewerFormatException.require(
          "the cluster level of a range entry", supported.highest(), level);
    }
  }

  /**
   * @throws MalformedBytesException if the bytes are not an entry
   */
  static RangeEntry decode(ByteBuffer bytes) {
    ByteBuffer remaining = bytes.duplicate();
    ByteReader in = new ByteReader(remaining);
    int format = in.readByte();
    if (format != FORMAT) {
      NewerFormatException.require("range entry", FORMAT_WITH_LEVEL, format);
    }
    int kind = in.readByte();
    long stamp = in.readLong();
    long clockMillis = format == FORMAT ? stamp : stamp & MAX_CLOCK_WITH_LEVEL;
    RangeEntry entry =
        switch (kind) {
          case UNBOUNDED_MUTATIONS, MUTATIONS ->
              new Mutations(
                  clockMillis,
                  in.readLong(),
                  in.readLong(),
                  in.readLong(),
                  kind == MUTATIONS ? in.readInt() : Integer.MAX_VALUE,
                  readCommands(in, remaining));
          case REGISTER -> new Register(clockMillis, (int) in.readLong());
          case SPLIT ->
              new Split(
                  clockMillis,
                  in.readLong(),
                  in.readLong(),
                  in.readBlock(),
                  RangeDescriptorCodec.readReplicas(in));
          case FREEZE -> new Freeze(clockMillis, in.readLong(), in.readLong(), in.readLong());
          case ABSORB -> new Absorb(clockMillis, in.readLong(), in.readLong(), in.readLong());
          case BUMP_EPOCH -> new BumpEpoch(clockMillis, in.readLong());
          case UNFREEZE -> new Unfreeze(clockMillis, in.readLong());
          case RESET_CLOCK -> new ResetClock(clockMillis, in.readLong());
          case COMPARE -> new Compare(clockMillis, in.readLong(), in.readInt(), in.readBlock());
          default -> throw NewerFormatException.unknownKind("range entry", kind);
        };
    in.requireEnd();
    return entry;
  }

  /**
   * Checks that {@link #decode} reads these bytes. Their level does not matter: the leader that
   * appends them stamps its own.
   *
   * @param commands checks each command
   * @throws MalformedBytesException if the bytes are not an entry
   */
  static void requireReadable(byte[] entry, Consumer<ByteBuffer> commands) {
    if (decode(ByteBuffer.wrap(entry)) instanceof Mutations mutations) {
      mutations.commands().forEach(commands);
    }
  }

  /** Returns views, not copies: they are valid as long as the entry's bytes. */
  private static List<ByteBuffer> readCommands(ByteReader in, ByteBuffer remaining) {
    int count = in.readCount(1);
    List<ByteBuffer> commands = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = in.readCount(1);
      commands.add(remaining.slice(remaining.position(), length));
      remaining.position(remaining.position() + length);
    }
    return commands;
  }
}
