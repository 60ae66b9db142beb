package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Identifies the nodes behind addresses by sending hellos. Thread-safe; does not block. */
public interface HelloClient {

  /**
   * Sends a hello to the address. Fails with {@link PeerException}: {@code NOT_SENT} if the address
   * cannot be reached, {@code REFUSED} if the process there is not a node or speaks an incompatible
   * protocol version, {@code IN_USE} or {@code FENCED} if the node there refuses this start, {@code
   * NO_RESPONSE} after the timeout. Completes on a thread of the connection.
   */
  CompletableFuture<HelloReply> sendHello(NodeAddress address, Hello hello, Duration timeout);
}
