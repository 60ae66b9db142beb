package io.fjordmq.broker.session;

import java.util.concurrent.CompletableFuture;

/** Says whether a client may connect, and as whose. Thread-safe; must not block. */
@FunctionalInterface
public interface ConnectPolicy {

  /** Decides about a CONNECT that is well-formed. A failed future refuses the client. */
  CompletableFuture<Decision> decide(ConnectRequest request, Peer peer);

  /** What was decided. */
  sealed interface Decision {}

  /** The client may connect. */
  record Accepted(String tenant) implements Decision {}

  /** It may not; the reason is told to it. */
  record Refused(CloseReason reason) implements Decision {}

  /** Everybody is welcome, in one tenant. */
  static ConnectPolicy anonymous(String tenant) {
    CompletableFuture<Decision> accepted = CompletableFuture.completedFuture(new Accepted(tenant));
    return (request, peer) -> accepted;
  }
}
