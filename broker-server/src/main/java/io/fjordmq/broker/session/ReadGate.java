package io.fjordmq.broker.session;

import io.netty.channel.Channel;

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

  /** Whether it may publish is not decided. */
  static final int AUTHORIZATION = 32;

  private final Channel channel;
  private final SessionObserver observer;
  // Written on the event loop; others may look whether it is worth waking it.
  private volatile int closedBy;

  ReadGate(Channel channel, SessionObserver observer) {
    this.channel = channel;
    this.observer = observer;
  }

  boolean isClosed() {
    return closedBy != 0;
  }

  /** True if this part of the session holds the client back. */
  boolean isClosedBy(int why) {
    return (closedBy & why) != 0;
  }

  void close(int why) {
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
    if (closedBy == 0) {
      observer.heldBack(false);
      channel.config().setAutoRead(true);
    }
  }

  /** The connection has ended: it is not held back any more, it is gone. */
  void abandon() {
    if (closedBy != 0) {
      closedBy = 0;
      observer.heldBack(false);
    }
  }
}
