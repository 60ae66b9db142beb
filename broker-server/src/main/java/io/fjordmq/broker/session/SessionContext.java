package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.netty.channel.EventLoop;

/** The view that a session has of the {@link SessionTable} in which it is registered. */
interface SessionContext {
  SessionServices services();

  /** Returns the timeout wheel of an event loop. */
  TimeoutWheel wheel(EventLoop loop);

  /** The clients that are paused while this node has no valid lease. */
  PausedClients pausedClients();

  StoreFailureLog storeFailures();

  /** The queue of resumed sessions whose subscriptions must be restored. */
  ResumeQueue resumeQueue();

  /**
   * The Server Reference for clients that this node disconnects while it drains; empty for none.
   */
  String serverReference();

  /** Registers a connecting session. Called on its event loop. */
  Registration register(Session session);

  /** Called when a session has released its state. Can be called on any thread. */
  void onStateReleased(Session session);

  /**
   * Called on the event loop when the connection of an ending session is not held after all,
   * because it is not open or already closed.
   */
  void onConnectionNotHeld(Session session);

  /**
   * Called when the held connection of an ended session is about to be closed or the client has
   * closed it.
   */
  void onHeldConnectionClosed(Session session);
}
