package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** Stops reading a client while at least one part of its session has too much of it to do. */
final class ReadGate {
  /** Its publishes are not answered. */
  static final int PUBLISHES = 1;

  /** Its subscribes are not answered. */
  static final int SUBSCRIBES = 2;

  /** Its CONNECT is not answered. */
  static final int CONNECT = 4;

  /** It has used up its rate. */
  static final int RATE = 8;

  /** The node has too much to do. */
  static final int OVERLOAD = 16;

  /** Whether it may publish is not decided, or a large packet is not complete. */
  static final int PAUSED = 32;

  /** It does not read what it was answered. */
  static final int ANSWERS = 64;

  /** Packets that were read have not been handled. */
  static final int BACKLOG = 128;

  /** The node has no valid lease. */
  static final int LEASE = 256;

  private final Channel channel;
  private final SessionObserver observer;
  private final Runnable onlyBacklog;
  // Written on the event loop; others may look whether it is worth waking it.
  private volatile int closedBy;
  private boolean abandoned;
  private @Nullable KeepAlive keepAlive;

  /**
   * @param onlyBacklog called when nothing but the backlog keeps it closed any more
   */
  ReadGate(Channel channel, SessionObserver observer, Runnable onlyBacklog) {
    this.channel = channel;
    this.observer = observer;
    this.onlyBacklog = onlyBacklog;
  }

  /** Who counts the client's silence; from the opening of the gate on, if it was closed. */
  void countsSilence(KeepAlive keepAlive) {
    this.keepAlive = keepAlive;
  }

  boolean isClosed() {
    return closedBy != 0;
  }

  /** True if this part of the session holds the client back. */
  boolean isClosedBy(int why) {
    return (closedBy & why) != 0;
  }

  /** True if anything else holds the client back. */
  boolean isClosedExceptFor(int why) {
    return (closedBy & ~why) != 0;
  }

  boolean isAbandoned() {
    return abandoned;
  }

  void close(int why) {
    if (abandoned) {
      return;
    }
    if (closedBy == 0) {
      channel.config().setAutoRead(false);
      observer.heldBack(true);
    }
    closedBy |= why;
  }

  void open(int why) {
    if (closedBy == 0) {
      return;
    }
    closedBy &= ~why;
    if (closedBy == BACKLOG) {
      onlyBacklog.run();
    } else if (closedBy == 0) {
      observer.heldBack(false);
      if (keepAlive != null) {
        keepAlive.onActivity(); // what it has sent meanwhile is still to be read
      }
      channel.config().setAutoRead(true);
    }
  }

  /** The connection has ended: it is not held back any more, it is gone. */
  void abandon() {
    abandoned = true;
    if (closedBy != 0) {
      closedBy = 0;
      observer.heldBack(false);
    }
  }
}
