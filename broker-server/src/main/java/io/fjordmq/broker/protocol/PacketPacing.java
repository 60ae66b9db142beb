package io.fjordmq.broker.protocol;

/**
 * Decides when the framer may pass on packets, so that one connection does not block the others of
 * its event loop. Event loop only.
 */
public interface PacketPacing {
  /** Sets the callback that handles remaining bytes, as far as {@link #canAcceptPacket} allows. */
  void setContinueCallback(Runnable then);

  /** Whether the next packet may be handled now; if not, its bytes wait for a later slice. */
  boolean canAcceptPacket();

  /** Whether bytes remain to be handled. */
  boolean hasBacklog();

  /** True if the connection has ended, so that the remaining bytes are discarded. */
  boolean isAbandoned();

  /** All bytes of one read were handled or left for a later slice. */
  void onReadComplete();
}
