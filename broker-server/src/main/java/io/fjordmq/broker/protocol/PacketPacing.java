package io.fjordmq.broker.protocol;

/**
 * Decides when the framer may forward packets, so that one connection does not block the others on
 * its event loop. Only used on the event loop.
 */
public interface PacketPacing {
  /**
   * Sets the callback that makes the framer forward buffered packets while {@link #canAcceptPacket}
   * is true.
   */
  void setContinueCallback(Runnable then);

  /** Whether the next packet may be forwarded now; if not, its bytes wait for a later slice. */
  boolean canAcceptPacket();

  /** Whether buffered bytes are waiting for a later slice. */
  boolean hasBacklog();

  /** Whether the connection has ended, so that the remaining bytes are discarded. */
  boolean isAbandoned();

  /** Called when all bytes of one read have been handled or left for a later slice. */
  void onReadComplete();
}
