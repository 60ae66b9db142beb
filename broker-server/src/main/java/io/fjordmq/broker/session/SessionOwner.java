package io.fjordmq.broker.session;

import io.fjordmq.broker.delivery.SessionRegistry.Registration;
import io.netty.channel.EventLoop;

/** The table that a session belongs to. */
interface SessionOwner {
  SessionServices services();

  /** The timeouts of an event loop. */
  TimeoutWheel wheel(EventLoop loop);

  /** Clients of a node without a valid lease. */
  PausedClients pausedClients();

  StoreFailureLog storeFailures();

  /** Sessions that wait for the routes of their subscriptions. */
  ResumeQueue resumeQueue();

  /** Server Reference for clients that the draining node disconnects; empty for none. */
  String serverReference();

  /** Adds a connecting session. On its event loop. */
  Registration register(Session session);

  /** The session has returned its state. Any thread. */
  void release(Session session);

  /** The connection need not be held: it closes now, or has closed. On its event loop. */
  void onConnectionNotHeld(Session session);

  /** The connection of a session that has ended earlier closes, or has closed. */
  void onHeldConnectionClosed(Session session);
}
