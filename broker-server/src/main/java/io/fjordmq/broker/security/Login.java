package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientFacts;
import io.fjordmq.api.plugin.ConnectAttempt;
import java.util.function.BooleanSupplier;

/**
 * A CONNECT on its way through the chain of authenticators.
 *
 * @param facts the values for placeholders
 * @param useCache false to ask every provider again
 * @param abandoned whether the client has disconnected, so that nobody needs the result
 */
record Login(
    ConnectAttempt attempt, ClientFacts facts, boolean useCache, BooleanSupplier abandoned) {

  static Login of(ConnectAttempt attempt, BooleanSupplier abandoned) {
    return new Login(attempt, ClientFacts.of(attempt), true, abandoned);
  }
}
