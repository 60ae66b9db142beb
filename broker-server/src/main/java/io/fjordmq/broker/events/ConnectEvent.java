package io.fjordmq.broker.events;

import org.jspecify.annotations.Nullable;

/**
 * The connect event of a client. While a client has no other events, its connection keeps the event
 * in place of the log, because the connection knows the contents of the event anyway. Called by the
 * log with a lock that is the same for all events of a client; must not block.
 */
public interface ConnectEvent {
  /** The time of an event that is not kept. */
  long NONE = -1;

  /** Returns the event. */
  Connected event();

  /** Keeps the event from now on. */
  void keep(long atMillis);

  /**
   * Returns the time of the event that is kept, in milliseconds since 1970; {@link #NONE} if none.
   */
  long keptAtMillis();

  /** Ends keeping the event: the log has recorded it. */
  void release();

  /** The connect events of the connections of this node. */
  @FunctionalInterface
  interface Connections {
    /** Finds the connect event of a client that is connected; null if it is not. */
    @Nullable ConnectEvent find(String tenant, String clientId);
  }
}
