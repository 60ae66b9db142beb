package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.ConnectAttempt;
import java.util.function.BooleanSupplier;

/**
 * A CONNECT on its way through the chain of authenticators.
 *
 * @param context the values for placeholders
 * @param useCache false to ask every provider again
 * @param abandoned whether the client has disconnected, so that nobody needs the result
 */
record Login(
    ConnectAttempt attempt, ClientContext context, boolean useCache, BooleanSupplier abandoned) {

  static Login of(ConnectAttempt attempt, BooleanSupplier abandoned) {
    return new Login(attempt, ClientContext.of(attempt), true, abandoned);
  }
}
