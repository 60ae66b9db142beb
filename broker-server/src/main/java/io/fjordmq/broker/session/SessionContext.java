package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.netty.channel.EventLoop;

/** The session table as seen by a session. */
interface SessionOwner {
  SessionServices services();

  /** Returns the timeout wheel of an event loop. */
  TimeoutWheel wheel(EventLoop loop);

  /** The clients that are paused while this node has no valid lease. */
  PausedClients pausedClients();

  StoreFailureLog storeFailures();

  /** The queue of sessions that wait for the routes of their subscriptions. */
  ResumeQueue resumeQueue();

  /**
   * The Server Reference sent to clients that this node disconnects while draining; empty for none.
   */
  String serverReference();

  /** Registers a connecting session. Called on its event loop. */
  Registration register(Session session);

  /** Releases a session that has returned its state. Can be called on any thread. */
  void release(Session session);

  /**
   * Called on the event loop when the connection need not be held, because it is being closed or
   * already closed.
   */
  void onConnectionNotHeld(Session session);

  /** Called when the held connection of an ended session is being closed or already closed. */
  void onHeldConnectionClosed(Session session);
}
