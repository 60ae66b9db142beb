package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.security.AuthenticationStep.Outcome;
import java.util.concurrent.CompletableFuture;

/**
 * Users whose passwords the node verifies itself, and whose identities it takes back. Thread-safe;
 * does not block.
 */
interface PasswordLogins extends AutoCloseable {
  /** The password of a client that sends none. */
  byte[] NO_PASSWORD = {};

  /** Decides about a client. The future fails only if there is a bug. */
  CompletableFuture<Outcome> authenticate(ConnectAttempt attempt);

  @Override
  void close();
}
