package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Asks other nodes. Thread-safe; nothing here blocks. */
public interface PeerCalls {

  /**
   * Sends a request to a service of another node. Requests of this node to one service of one node
   * are handled in the order of the calls, as long as the connection lasts; one that is lost with
   * its connection may or may not have been handled, and nothing sent later is handled before its
   * failure is known here.
   *
   * <p>The future completes with the answer, or fails with {@link PeerException}; on a thread of
   * the connection, which must not be blocked.
   *
   * @param node another than this one
   * @param service a name given to {@link PeerServices#serve}
   * @param request not to be modified any more
   * @param timeout after which it fails, whether or not it was handled
   */
  CompletableFuture<byte[]> ask(NodeId node, String service, byte[] request, Duration timeout);
}
