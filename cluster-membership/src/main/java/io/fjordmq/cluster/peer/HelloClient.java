package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Asks who is at an address. Thread-safe; does not block. */
public interface HelloClient {

  /**
   * Says hello to whoever is there. Fails with {@link PeerException}: {@code NOT_SENT} if nobody
   * can be reached there, {@code REFUSED} if there is something else than a node that speaks as
   * this one does, {@code NO_ANSWER} after the timeout. Completes on a thread of the connection.
   */
  CompletableFuture<HelloReply> greet(NodeAddress address, Hello hello, Duration timeout);
}
