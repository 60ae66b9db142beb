package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import java.util.concurrent.CompletableFuture;

/** Authenticates the sender of a request. Thread-safe. */
@FunctionalInterface
public interface Authentication {
  /**
   * Authenticates a caller. Must not block; slow hashes are computed on other threads.
   *
   * @param remoteAddress the IP address of the caller, for rate limits
   * @return completes on any thread with the caller, or with an {@link ApiException}: 401 if the
   *     credentials are invalid, 429 if there were too many failures
   */
  CompletableFuture<Caller> authenticate(Credentials credentials, String remoteAddress);
}
