package io.fjordmq.range;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormException;
import io.fjordmq.cluster.consensus.ReplicaSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a log entry of a range holds, and its bytes.
 *
 * <p>A sender is one client of one range, under a number that the range gave it ({@link Register});
 * it numbers its batches upwards, has one in the air at a time, and repeats it unchanged until it
 * knows the outcome (Ongaro, <i>Consensus: Bridging Theory and Practice</i>, §6.3).
 *
 * <pre>
 * u8   format, 1
 * u8   kind: 2 register, 3 split, 4 freeze, 5 absorb, 6 renew, 7 thaw, 8 mutations, 9 lower clock,
 *      1 mutations as they were written before their answers had a bound
 * u64  cluster time in milliseconds since the epoch, 0 until it is proposed
 * -- mutations only:
 * u64  epoch version by which the sender routed
 * u64  sender
 * u64  batch number
 * varint bytes of answers that are enough, not in kind 1
 * varint commands, then as many: varint length, bytes
 * -- register only:
 * u64  how many senders the range shall remember, 0 until it is proposed
 * -- all others:
 * u64  epoch version of the range that was looked at
 * -- freeze and absorb only:
 * u64  number of the neighbour
 * u64  epoch version of the neighbour
 * -- split only:
 * u64  number of the new range
 * block key
 * varint voters,   then as many texts: node ids in ascending order
 * varint learners, then as many texts: node ids in ascending order
 * </pre>
 */
public sealed interface RangeEntry {
  /** Cluster time when it was proposed, milliseconds since the epoch. */
  long clockMillis();

  /**
   * A numbered batch of commands.
   *
   * @param enoughAnswerBytes the command whose answer brings them to so many is the last to be
   *     applied: those behind it are the sender's again. In the entry, so that all replicas stop at
   *     the same one
   * @param commands read-only; valid as long as the bytes they were decoded from
   */
  record Mutations(
      long clockMillis,
      long epochVersion,
      long sender,
      long number,
      int enoughAnswerBytes,
      List<ByteBuffer> commands)
      implements RangeEntry {}

  /**
   * Asks for a sender number.
   *
   * @param maxSenders how many the range remembers from now on; the leader's configuration, in the
   *     entry so that all replicas forget the same ones
   */
  record Register(long clockMillis, int maxSenders) implements RangeEntry {}

  /**
   * Cuts the range (decision 0025): the keys from {@code key} on become another range's.
   *
   * @param number of the new range
   * @param replicas of both, the group's at this place of the log
   */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Split(long clockMillis, long epochVersion, long number, byte[] key, ReplicaSet replicas)
      implements RangeEntry {}

  /**
   * Stops the range, so that its left neighbour can take its keys in (decision 0028).
   *
   * @param left number of the neighbour
   * @param leftVersion the neighbour does it only as long as it has this epoch version
   */
  record Freeze(long clockMillis, long epochVersion, long left, long leftVersion)
      implements RangeEntry {}

  /**
   * Takes in the keys of the right neighbour, which is frozen for it on every replica.
   *
   * @param right number of the neighbour, and its epoch version
   */
  record Absorb(long clockMillis, long epochVersion, long right, long rightVersion)
      implements RangeEntry {}

  /** Gives the range another epoch version, so that nothing is absorbed by the one that it had. */
  record Renew(long clockMillis, long epochVersion) implements RangeEntry {}

  /** A frozen range goes on, since its left neighbour has another epoch version now. */
  record Thaw(long clockMillis, long epochVersion) implements RangeEntry {}

  /** Sets the clock of a range that is far ahead back to the time of this entry (decision 0037). */
  record LowerClock(long clockMillis, long epochVersion) implements RangeEntry {}

  int FORMAT = 1;
  int UNBOUNDED_MUTATIONS = 1;
  int REGISTER = 2;
  int SPLIT = 3;
  int FREEZE = 4;
  int ABSORB = 5;
  int RENEW = 6;
  int THAW = 7;
  int MUTATIONS = 8;
  int LOWER_CLOCK = 9;
  int CLOCK_AT = 2;
  int REGISTER_LIMIT_AT = 10;

  /** Most bytes of a {@link Mutations} entry beside its commands. */
  int MUTATIONS_OVERHEAD = 1 + 1 + 8 + 8 + 8 + 8 + 5 + 5;

  /** Most bytes that each command takes beside its own. */
  int COMMAND_OVERHEAD = 5;

  /** The bytes of an entry that no leader has stamped yet. */
  static byte[] encodeMutations(
      long epochVersion, long sender, long number, int enoughAnswerBytes, List<byte[]> commands) {
    int size = MUTATIONS_OVERHEAD;
    for (byte[] command : commands) {
      size += COMMAND_OVERHEAD + command.length;
    }
    ByteWriter out = new ByteWriter(size);
    out.writeByte(FORMAT).writeByte(MUTATIONS).writeLong(0);
    out.writeLong(epochVersion).writeLong(sender).writeLong(number);
    out.writeVarint(enoughAnswerBytes).writeVarint(commands.size());
    commands.forEach(out::writeBlock);
    return out.toByteArray();
  }

  static byte[] encodeRegister() {
    return ByteBuffer.allocate(REGISTER_LIMIT_AT + 8)
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

  static byte[] encodeRenew(long epochVersion) {
    return encode(RENEW, epochVersion);
  }

  static byte[] encodeThaw(long epochVersion) {
    return encode(THAW, epochVersion);
  }

  static byte[] encodeLowerClock(long epochVersion) {
    return encode(LOWER_CLOCK, epochVersion);
  }

  private static byte[] encode(int kind, long... fields) {
    ByteWriter out = new ByteWriter(2 + 8 + 8 * fields.length);
    out.writeByte(FORMAT).writeByte(kind).writeLong(0);
    for (long field : fields) {
      out.writeLong(field);
    }
    return out.toByteArray();
  }

  /** Whether the bytes are those of an entry that changes what the range is. */
  static boolean isReshaping(ByteBuffer bytes) {
    if (bytes.remaining() < 2) {
      return false;
    }
    int kind = bytes.get(bytes.position() + 1);
    return kind >= SPLIT && kind <= THAW;
  }

  /**
   * Writes what the leader decides into encoded bytes, in place.
   *
   * @throws MalformedBytesException if the bytes are too short for an entry
   */
  static void stamp(byte[] entry, long clockMillis, int maxSenders) {
    if (entry.length < REGISTER_LIMIT_AT + 8) {
      throw new MalformedBytesException("a range entry of " + entry.length + " bytes");
    }
    ByteBuffer out = ByteBuffer.wrap(entry).putLong(CLOCK_AT, clockMillis);
    if (entry[1] == REGISTER) {
      out.putLong(REGISTER_LIMIT_AT, maxSenders);
    }
  }

  /**
   * @throws MalformedBytesException if the bytes are not an entry
   */
  static RangeEntry decode(ByteBuffer bytes) {
    ByteBuffer rest = bytes.duplicate();
    ByteReader in = new ByteReader(rest);
    StoredFormat.require("range entry", FORMAT, in);
    int kind = in.readByte();
    long clockMillis = in.readLong();
    RangeEntry entry =
        switch (kind) {
          case UNBOUNDED_MUTATIONS, MUTATIONS ->
              new Mutations(
                  clockMillis,
                  in.readLong(),
                  in.readLong(),
                  in.readLong(),
                  kind == MUTATIONS ? in.readInt() : Integer.MAX_VALUE,
                  commands(in, rest));
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
          case RENEW -> new Renew(clockMillis, in.readLong());
          case THAW -> new Thaw(clockMillis, in.readLong());
          case LOWER_CLOCK -> new LowerClock(clockMillis, in.readLong());
          default -> throw NewerFormException.unknownKind("range entry", kind);
        };
    in.requireEnd();
    return entry;
  }

  /** Views, not copies: they live as long as the entry's bytes. */
  private static List<ByteBuffer> commands(ByteReader in, ByteBuffer rest) {
    int count = in.readCount(1);
    List<ByteBuffer> commands = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int length = in.readCount(1);
      commands.add(rest.slice(rest.position(), length).asReadOnlyBuffer());
      rest.position(rest.position() + length);
    }
    return commands;
  }
}
