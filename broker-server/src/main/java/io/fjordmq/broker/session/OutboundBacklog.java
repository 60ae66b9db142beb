package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * Tracks data that was written to the channel and not yet read by the client. Messages are only
 * written to a writable channel, but replies always are. So a client that keeps sending and does
 * not read its replies is not read until it does. Event loop only.
 *
 * <p>Messages alone never close the gate, however large they are. Otherwise a client that blocks on
 * a write would wait for the broker to read, and the broker for the client.
 */
final class OutboundBacklog {
  /** Bytes of replies that may be queued after the channel became full. */
  private static final int RESPONSE_BYTES = 64 << 10;

  private final Channel channel;
  private final ReadGate gate;
  // Pending bytes when the channel was found full; 0 while it is writable.
  private long fullAtBytes;
  // The value of firstPending() at the last check of each caller.
  private long lastSeenByGuard;
  private long lastSeenByKeepAlive;

  OutboundBacklog(Channel channel, ReadGate gate) {
    this.channel = channel;
    this.gate = gate;
  }

  /** Called after the packets of one read were handled. */
  void onReadComplete() {
    if (!channel.isWritable()) {
      closeGateIfTooMuch();
    }
  }

  private void closeGateIfTooMuch() {
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    if (waiting == null || gate.isClosedBy(ReadGate.RESPONSES)) {
      return;
    }
    long bytes = waiting.totalPendingWriteBytes();
    if (fullAtBytes == 0) {
      fullAtBytes = bytes;
    } else if (bytes - fullAtBytes > RESPONSE_BYTES) {
      lastSeenByKeepAlive = firstPending();
      gate.close(ReadGate.RESPONSES);
    }
  }

  /** The channel is writable again. */
  void onWritable() {
    fullAtBytes = 0;
    gate.open(ReadGate.RESPONSES);
  }

  /** True if data is pending and the client has read nothing since the last call. */
  boolean isStuck() {
    long firstPending = firstPending();
    boolean stuck = firstPending != 0 && firstPending == lastSeenByGuard;
    lastSeenByGuard = firstPending;
    return stuck;
  }

  /** True if the client has read data since the gate was closed, or since the last later call. */
  boolean madeProgressSinceLastCall() {
    long firstPending = firstPending();
    boolean moved = firstPending != lastSeenByKeepAlive;
    lastSeenByKeepAlive = firstPending;
    return moved;
  }

  /** Identifies the progress of the client's reading; 0 if nothing is pending. */
  private long firstPending() {
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    Object firstPending = waiting == null ? null : waiting.current();
    return firstPending == null
        ? 0
        : 1 + System.identityHashCode(firstPending) * 31L + waiting.currentProgress();
  }
}
