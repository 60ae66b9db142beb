package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeId;
import java.util.concurrent.CompletableFuture;

/** What this node answers to others. */
public interface PeerServices {

  /**
   * Answers requests to the service from now on; those that come before are refused.
   *
   * @throws IllegalStateException if somebody serves it already
   */
  void serve(String service, Handler handler);

  /** Answers one service. */
  @FunctionalInterface
  interface Handler {
    /**
     * Called for one request of a node after the other, in the order they were sent, on a thread of
     * the connection, which must not be blocked.
     *
     * @param from who asks; its certificate, if the cluster has them, has been checked
     * @return the answer, now or later; answers may overtake each other. If it fails the asker is
     *     told the message of the failure
     */
    CompletableFuture<byte[]> handle(NodeId from, byte[] request);
  }
}
