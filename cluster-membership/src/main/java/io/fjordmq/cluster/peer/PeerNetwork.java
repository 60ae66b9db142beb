package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.StartFence;
import java.util.function.Function;

/** All communication with other nodes except Raft: calls, services and hellos. */
public interface PeerNetwork extends PeerCalls, PeerServices, HelloClient {

  /**
   * Sets the function that answers hellos, on threads of the connections. Until then hellos are
   * refused.
   */
  void answerHellosWith(Function<Hello, HelloReply> answer);

  /**
   * The fence that decides which starts of other nodes may connect, and whether this node is fenced
   * itself.
   */
  StartFence fence();
}
