package io.fjordmq.cluster.consensus.log;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;

/**
 * The state that a voter must persist (Raft §5.2): its current term, and its vote in that term.
 *
 * <pre>
 * version u8 = 1 | term u64 | vote string, empty if none
 * </pre>
 */
public record HardState(long term, String vote) {
  static final HardState INITIAL = new HardState(0, "");
  private static final byte VERSION = 1;

  public byte[] encode() {
    return new ByteWriter(32).writeByte(VERSION).writeLong(term).writeString(vote).toByteArray();
  }

  public static HardState decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("hard state", VERSION, in.readByte());
    HardState state = new HardState(in.readLong(), in.readString());
    in.requireEnd();
    return state;
  }
}
