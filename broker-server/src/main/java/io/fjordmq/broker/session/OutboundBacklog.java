package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;

/**
 * Tracks data that has been written to the channel but not yet read by the client. Messages are
 * only written while the channel is writable, but responses are always written. Therefore, the
 * broker stops reading from a client that keeps sending without reading its responses. Only used on
 * the event loop.
 *
 * <p>Messages alone never close the gate, however large they are. Otherwise there could be a
 * deadlock: a client that blocks on a write would wait for the broker to read, while the broker
 * waits for the client to read.
 */
final class OutboundBacklog {
  /** The number of response bytes that may be queued after the channel has become full. */
  private static final int RESPONSE_BYTES = 64 << 10;

  private final Channel channel;
  private final ReadGate gate;
  // The number of pending bytes when the channel was found to be full; 0 while it is writable.
  private long fullAtBytes;
  // The value of firstPending() at the last check of each caller.
  private long lastSeenByGuard;
  private long lastSeenByKeepAlive;

  OutboundBacklog(Channel channel, ReadGate gate) {
    this.channel = channel;
    this.gate = gate;
  }

  /** Whether data has been written to the channel that the system has not accepted yet. */
  static boolean hasPendingData(Channel channel) {
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    return waiting != null && !waiting.isEmpty();
  }

  /** Called after the packets of one read have been handled while the channel is full. */
  void onReadWhileFull() {
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

  /** Called when the channel is writable again. */
  void onWritable() {
    fullAtBytes = 0;
    gate.open(ReadGate.RESPONSES);
  }

  /** Whether data is pending and the client has read nothing since the previous call. */
  boolean isStuck() {
    long firstPending = firstPending();
    boolean stuck = firstPending != 0 && firstPending == lastSeenByGuard;
    lastSeenByGuard = firstPending;
    return stuck;
  }

  /**
   * Whether the client has read data since the gate was closed or, if that was later, since the
   * previous call.
   */
  boolean madeProgressSinceLastCall() {
    long firstPending = firstPending();
    boolean moved = firstPending != lastSeenByKeepAlive;
    lastSeenByKeepAlive = firstPending;
    return moved;
  }

  /** Returns a value that changes whenever the client reads data; 0 if nothing is pending. */
  private long firstPending() {
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    Object firstPending = waiting == null ? null : waiting.current();
    return firstPending == null
        ? 0
        : 1 + System.identityHashCode(firstPending) * 31L + waiting.currentProgress();
  }
}
