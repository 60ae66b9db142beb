package io.fjordmq.broker.protocol;

/**
 * Decides when the framer may forward packets, so that one connection does not block the others on
 * its event loop. Only used on the event loop.
 */
public interface PacketPacing {
  /**
   * Sets the callback that handles the remaining bytes for as long as {@link #canAcceptPacket}
   * allows.
   */
  void setContinueCallback(Runnable then);

  /** Whether the next packet may be handled now; otherwise, its bytes wait for a later slice. */
  boolean canAcceptPacket();

  /** Whether bytes remain to be handled. */
  boolean hasBacklog();

  /** Whether the connection has ended, so that the remaining bytes are discarded. */
  boolean isAbandoned();

  /** Called when all bytes of one read have been handled or left for a later slice. */
  void onReadComplete();
}
