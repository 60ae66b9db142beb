package io.fjordmq.broker.protocol;

import io.fjordmq.broker.limits.Overload;
import io.netty.channel.Channel;
import java.util.concurrent.CompletableFuture;

/** Serves the connections that listeners accept. Thread-safe. */
public interface ClientConnections {
  /**
   * Adds the MQTT handlers to the pipeline of a new connection, above the transport handlers.
   * Called on the connection's event loop.
   */
  void serve(Channel channel);

  /** Counts a connection that was closed before its client could send a CONNECT. */
  void countRefused(CloseReason reason);

  /**
   * Whether the peer of a connection must contain the issuers of the client's certificate, which
   * take time to find.
   */
  boolean needsIssuers();

  /** Whether the node is overloaded. */
  Overload overload();

  /**
   * The number of sessions, including those that are connecting, that are ending, or that have
   * ended but whose connections are not closed yet.
   */
  int size();

  /**
   * Ends all sessions with 0x8B (server shutting down) and refuses new ones. Completes when all
   * sessions have released their state, that is, when their acknowledgements are committed and
   * their inboxes are detached.
   */
  CompletableFuture<Void> shutDown();
}
