package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * What was written to the client and waits for it to read. Messages are not written to a channel
 * that is full, answers are: a client that goes on sending and does not read what it is answered is
 * not read either, until it does. Event loop only.
 *
 * <p>Messages alone never close the gate, however large: a client that is busy with writing would
 * wait for us to read, and we for it.
 */
final class OutboundBacklog {
  /** Answers that may wait behind what has filled the channel. */
  private static final int ANSWERS_BYTES = 64 << 10;

  private final Channel channel;
  private final ReadGate gate;
  // What waited when the channel was found full; 0 while it has room.
  private long fullAtBytes;
  // What was first in line at the last look of each who asks.
  private long seenByGuard;
  private long seenByKeepAlive;

  OutboundBacklog(Connection connection) {
    this.channel = connection.channel();
    this.gate = connection.gate();
  }

  /** What was read is answered, as far as it can be now. */
  void endOfRead() {
    if (!channel.isWritable()) {
      holdBackWithTooMuch();
    }
  }

  private void holdBackWithTooMuch() {
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    if (waiting == null || gate.isClosedBy(ReadGate.ANSWERS)) {
      return;
    }
    long bytes = waiting.totalPendingWriteBytes();
    if (fullAtBytes == 0) {
      fullAtBytes = bytes;
    } else if (bytes - fullAtBytes > ANSWERS_BYTES) {
      seenByKeepAlive = first();
      gate.close(ReadGate.ANSWERS);
    }
  }

  /** The client has read: the channel has room. */
  void writable() {
    fullAtBytes = 0;
    gate.open(ReadGate.ANSWERS);
  }

  /** True if something waits and the client has read nothing since the guard's last look. */
  boolean isStuck() {
    long first = first();
    boolean stuck = first != 0 && first == seenByGuard;
    seenByGuard = first;
    return stuck;
  }

  /** True if the client has read since the gate was closed, or since the last call after that. */
  boolean isBeingRead() {
    long first = first();
    boolean moved = first != seenByKeepAlive;
    seenByKeepAlive = first;
    return moved;
  }

  /** Changes whenever the client reads; 0 if nothing waits. */
  private long first() {
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    Object first = waiting == null ? null : waiting.current();
    return first == null ? 0 : 1 + System.identityHashCode(first) * 31L + waiting.currentProgress();
  }
}
