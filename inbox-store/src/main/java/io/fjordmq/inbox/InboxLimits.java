package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;

/**
 * The capacity of an inbox. Each attach stores the limits in the inbox's state, so that all
 * replicas decide the same way whatever their own configuration says.
 *
 * @param maxMessages maximum number of unacknowledged messages; &gt; 0
 * @param maxBytes maximum total size of their topics, properties and payloads; &gt; 0
 * @param whenFull what happens when a limit is reached
 */
public record InboxLimits(long maxMessages, long maxBytes, WhenFull whenFull) {
  /** 100,000 messages or 64 MiB, then the oldest are dropped; docs/decisions/0011 explains why. */
  public static final InboxLimits DEFAULT =
      new InboxLimits(100_000, 64L << 20, WhenFull.DROP_OLDEST);

  /** The policy for a message that does not fit. */
  public enum WhenFull {
    /** The message is stored; the oldest messages are dropped and counted. */
    DROP_OLDEST,
    /** The message is rejected with {@link InboxStore.InsertOutcome#REFUSED_FULL}. */
    REFUSE
  }

  public InboxLimits {
    if (maxMessages < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "maxMessages and maxBytes must be at least 1, not " + maxMessages + " and " + maxBytes);
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
