package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.StartFence;
import java.util.function.Function;

/** All communication with other nodes except Raft: calls, services and hellos. */
public interface PeerNetwork extends PeerCalls, PeerServices, HelloClient {

  /**
   * Sets the function that replies to hellos, on threads of the connections. Until then hellos are
   * refused.
   */
  void setHelloHandler(Function<Hello, HelloReply> handler);

  /**
   * Returns the fence that decides which starts of other nodes may connect, and whether this node
   * is fenced itself.
   */
  StartFence fence();
}
