package io.fjordmq.broker.security;

import org.jspecify.annotations.Nullable;

/**
 * An exchange whose messages name the user, so that the user name of the CONNECT does not count.
 */
interface NamedExchange {
  /** Returns whom the client claims to be; null if it has not said so yet. */
  @Nullable String claimedUser();
}
