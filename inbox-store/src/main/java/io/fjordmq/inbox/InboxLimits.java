package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/**
 * How much an inbox may hold. Kept in the inbox's state from the last attach on, so that every
 * replica decides alike whatever its own configuration says.
 *
 * @param maxMessages undelivered and unacknowledged ones; &gt; 0
 * @param maxBytes of their topics, properties and payloads together; &gt; 0
 * @param whenFull what gives way
 */
public record InboxLimits(long maxMessages, long maxBytes, WhenFull whenFull) {
  /** 100,000 messages or 64 MiB, then the oldest go; docs/decisions/0011 says why. */
  public static final InboxLimits DEFAULT =
      new InboxLimits(100_000, 64L << 20, WhenFull.DROP_OLDEST);

  /** What happens to a message that finds no room. */
  public enum WhenFull {
    /** It is stored, and the oldest messages are dropped and counted. */
    DROP_OLDEST,
    /** It is not stored, and the publisher's side is told. */
    REFUSE
  }

  public InboxLimits {
    if (maxMessages < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "inbox limits must be positive: messages=" + maxMessages + " bytes=" + maxBytes);
    }
  }

  void write(ByteWriter out) {
    out.writeVarint(maxMessages).writeVarint(maxBytes).writeByte(whenFull.ordinal());
  }

  static InboxLimits read(ByteReader in) {
    return new InboxLimits(
        in.readVarint(),
        in.readVarint(),
        in.readByte() == 0 ? WhenFull.DROP_OLDEST : WhenFull.REFUSE);
  }
}
