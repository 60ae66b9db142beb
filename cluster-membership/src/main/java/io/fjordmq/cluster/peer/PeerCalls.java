package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Sends requests to other nodes. Thread-safe; never blocks. */
public interface PeerCalls {

  /**
   * Sends a request to a service of another node. Requests to one service of one node are handled
   * in the order of the calls, as long as the connection lasts. If the connection is lost, pending
   * requests may or may not have been handled, and no later request is handled before their futures
   * have failed.
   *
   * <p>The future completes with the response or fails with {@link PeerException}, on a thread of
   * the connection, which must not be blocked.
   *
   * @param node a node other than this one
   * @param service the name passed to {@link PeerServices#serve}
   * @param request the caller must not modify it afterwards
   * @param timeout after which the call fails, whether or not the request was handled
   */
  CompletableFuture<byte[]> call(NodeId node, String service, byte[] request, Duration timeout);
}
