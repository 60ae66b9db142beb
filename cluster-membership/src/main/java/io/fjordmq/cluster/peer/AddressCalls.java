package io.fjordmq.cluster.peer;

import io.fjordmq.cluster.NodeAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Calls to whatever process listens at an address. Thread-safe; does not block. */
public interface AddressCalls {

  /**
   * Sends one request. Fails with {@link PeerException}: {@code NOT_SENT} if the address cannot be
   * reached or the process there does not serve such requests, {@code REFUSED} if it refused this
   * one, {@code NO_RESPONSE} after the timeout. Completes on a thread of the connection.
   */
  CompletableFuture<byte[]> ask(
      NodeAddress address, String service, byte[] request, Duration timeout);
}
