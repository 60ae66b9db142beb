package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.peer.AddressCalls;
import io.fjordmq.cluster.peer.PeerException;
import io.fjordmq.common.MalformedBytesException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Calls to other waiting nodes. */
record WaitingCalls(AddressCalls calls) {

  /** Fails like {@link AddressCalls#ask}, and if the response cannot be decoded. */
  CompletableFuture<WaitingNode> ask(
      NodeAddress address, FormationRequest request, Duration timeout) {
    return calls
        .ask(address, FormationRequest.SERVICE, request.encode(), timeout)
        .thenApply(
            response -> {
              try {
                return WaitingNode.decode(response);
              } catch (MalformedBytesException e) {
                throw new PeerException(
                    PeerException.Kind.REFUSED, address + ": " + e.getMessage(), e);
              }
            });
  }
}
