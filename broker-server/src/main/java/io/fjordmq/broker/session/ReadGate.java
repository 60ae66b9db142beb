package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** Stops reading from a client while the gate is closed for at least one reason. */
final class ReadGate {
  /** Too many publishes are pending. */
  static final int PUBLISHES = 1;

  /** Too many SUBSCRIBE or UNSUBSCRIBE packets are pending. */
  static final int SUBSCRIBES = 2;

  /** The CONNECT is being handled. */
  static final int CONNECT = 4;

  /** The client has used up its read or publish rate. */
  static final int RATE = 8;

  /** The node is overloaded. */
  static final int OVERLOAD = 16;

  /** The authorization of a publish is pending, or a large packet is not complete. */
  static final int PAUSED = 32;

  /** The client does not read its responses. */
  static final int RESPONSES = 64;

  /** Some bytes that were read have not been handled yet. */
  static final int BACKLOG = 128;

  /** The node has no valid lease. */
  static final int LEASE = 256;

  /** Is told when reading could continue. */
  interface Listener {
    /** Called when the backlog becomes the only reason to keep the gate closed. */
    void onOnlyBacklogLeft();
  }

  private final Channel channel;
  private final SessionObserver observer;
  private final Listener listener;
  // Written on the event loop. Other threads read it to decide whether to wake the event loop.
  private volatile int closedBy;
  private boolean abandoned;
  private @Nullable KeepAlive keepAlive;

  ReadGate(Channel channel, SessionObserver observer, Listener listener) {
    this.channel = channel;
    this.observer = observer;
    this.listener = listener;
  }

  /** Sets the keep alive timer, which restarts whenever the gate opens. */
  void setKeepAlive(KeepAlive keepAlive) {
    this.keepAlive = keepAlive;
  }

  boolean isClosed() {
    return closedBy != 0;
  }

  /** Whether the gate is closed for this reason. */
  boolean isClosedBy(int reason) {
    return (closedBy & reason) != 0;
  }

  /** Whether the gate is closed for any reason other than this one. */
  boolean isClosedExceptFor(int reason) {
    return (closedBy & ~reason) != 0;
  }

  boolean isAbandoned() {
    return abandoned;
  }

  void close(int reason) {
    if (abandoned) {
      return;
    }
    if (closedBy == 0) {
      channel.config().setAutoRead(false);
      observer.onBackPressureChanged(true);
    }
    closedBy |= reason;
  }

  void open(int reason) {
    if (closedBy == 0) {
      return;
    }
    closedBy &= ~reason;
    if (closedBy == BACKLOG) {
      listener.onOnlyBacklogLeft();
    } else if (closedBy == 0) {
      observer.onBackPressureChanged(false);
      if (keepAlive != null) {
        keepAlive.onActivity(); // packets that arrived in the meantime have not been read yet
      }
      channel.config().setAutoRead(true);
    }
  }

  /** Called when the connection has ended, so that it no longer counts as under back-pressure. */
  void abandon() {
    abandoned = true;
    if (closedBy != 0) {
      closedBy = 0;
      observer.onBackPressureChanged(false);
    }
  }
}
