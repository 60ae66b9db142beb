package io.fjordmq.cluster.peer;

import java.util.function.Function;

/** All that a node has to do with others by calls. */
public interface PeerNetwork extends PeerCalls, PeerServices, Greeter {

  /** How hellos are answered from now on, on threads of connections; before they are refused. */
  void introduceBy(Function<Hello, Introduction> answer);
}
