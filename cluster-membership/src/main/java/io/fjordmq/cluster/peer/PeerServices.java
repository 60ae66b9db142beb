package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeId;
import java.util.concurrent.CompletableFuture;

/** The services that this node offers to other nodes. */
public interface PeerServices {

  /**
   * Registers the handler of a service. Requests that arrive before the registration are refused.
   *
   * @throws IllegalStateException if the service already has a handler
   */
  void serve(String service, Handler handler);

  /** Handles the requests to one service. */
  @FunctionalInterface
  interface Handler {
    /**
     * Handles one request. Requests from one node arrive one at a time, in the order they were
     * sent, on a thread of the connection, which must not be blocked.
     *
     * @param from the calling node; if the cluster uses TLS, its certificate has been verified
     * @return completes with the response; responses may be sent out of order. If it fails, the
     *     caller receives the message of the failure
     */
    CompletableFuture<byte[]> handle(NodeId from, byte[] request);
  }
}
