package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.StartFence;
import java.util.function.Function;

/** All that a node has to do with others by calls. */
public interface PeerNetwork extends PeerCalls, PeerServices, HelloClient {

  /** How hellos are answered from now on, on threads of connections; before they are refused. */
  void introduceBy(Function<Hello, HelloReply> answer);

  /** Which starts of other nodes may talk to this one, and whether this one is refused itself. */
  StartFence fence();
}
