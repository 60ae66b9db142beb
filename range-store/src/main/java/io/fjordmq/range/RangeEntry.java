package io.fjordmq.range;

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
 * u8   kind: 1 mutations, 2 register
 * u64  clock of the leader in milliseconds since the epoch, 0 until it is proposed
 * -- mutations only:
 * u64  epoch version by which the sender routed
 * u64  sender
 * u64  batch number
 * u32  commands, then as many: u32 length, bytes
 * -- register only:
 * u32  how many senders the range shall remember, 0 until it is proposed
 * </pre>
 */
public sealed interface RangeEntry {
  /** Wall clock of the leader that proposed it, milliseconds since the epoch. */
  long clockMillis();

  /**
   * A numbered batch of commands.
   *
   * @param commands read-only; valid as long as the bytes they were decoded from
   */
  record Mutations(
      long clockMillis, long epochVersion, long sender, long number, List<ByteBuffer> commands)
      implements RangeEntry {}

  /**
   * Asks for a sender number.
   *
   * @param maxSenders how many the range remembers from now on; the leader's configuration, in the
   *     entry so that all replicas forget the same ones
   */
  record Register(long clockMillis, int maxSenders) implements RangeEntry {}

  int FORMAT = 1;
  int MUTATIONS = 1;
  int REGISTER = 2;
  int CLOCK_AT = 2;
  int REGISTER_LIMIT_AT = 10;

  /** Bytes of a {@link Mutations} entry beside its commands. */
  int MUTATIONS_OVERHEAD = 1 + 1 + 8 + 8 + 8 + 8 + 4;

  /** Bytes that each command takes beside its own. */
  int COMMAND_OVERHEAD = 4;

  /** The bytes of an entry that no leader has stamped yet. */
  static byte[] encodeMutations(
      long epochVersion, long sender, long number, List<byte[]> commands) {
    int size = MUTATIONS_OVERHEAD;
    for (byte[] command : commands) {
      size += COMMAND_OVERHEAD + command.length;
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    out.put((byte) FORMAT).put((byte) MUTATIONS).putLong(0);
    out.putLong(epochVersion).putLong(sender).putLong(number).putInt(commands.size());
    for (byte[] command : commands) {
      out.putInt(command.length).put(command);
    }
    return out.array();
  }

  static byte[] encodeRegister() {
    return ByteBuffer.allocate(REGISTER_LIMIT_AT + 4)
        .put((byte) FORMAT)
        .put((byte) REGISTER)
        .array();
  }

  /**
   * Writes what the leader decides into encoded bytes, in place.
   *
   * @throws CorruptDataException if the bytes are too short for an entry
   */
  static void stamp(byte[] entry, long clockMillis, int maxSenders) {
    if (entry.length < REGISTER_LIMIT_AT + 4) {
      throw new CorruptDataException("a range entry of " + entry.length + " bytes");
    }
    ByteBuffer out = ByteBuffer.wrap(entry).putLong(CLOCK_AT, clockMillis);
    if (entry[1] == REGISTER) {
      out.putInt(REGISTER_LIMIT_AT, maxSenders);
    }
  }

  /**
   * @throws CorruptDataException if the bytes are not an entry
   */
  static RangeEntry decode(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    in.format("range entry", FORMAT);
    int kind = in.u8();
    long clockMillis = in.u64();
    RangeEntry entry =
        switch (kind) {
          case MUTATIONS -> {
            long epochVersion = in.u64();
            long sender = in.u64();
            long number = in.u64();
            int count = in.count(COMMAND_OVERHEAD);
            List<ByteBuffer> commands = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
              commands.add(in.slice());
            }
            yield new Mutations(clockMillis, epochVersion, sender, number, commands);
          }
          case REGISTER -> new Register(clockMillis, in.u32());
          default -> throw new CorruptDataException("unknown kind of range entry: " + kind);
        };
    in.expectEnd("range entry");
    return entry;
  }
}
