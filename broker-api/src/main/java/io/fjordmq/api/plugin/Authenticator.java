package io.fjordmq.api.plugin;

import java.util.concurrent.CompletionStage;

/**
 * Says who a client is. Authenticators are asked one after the other until one allows or denies; a
 * client about whom all pass is refused.
 *
 * <p>Clients that name an authentication method in their CONNECT (MQTT 5.0 §4.12) are the business
 * of an {@link EnhancedAuthenticator} instead.
 */
public interface Authenticator extends Extension {

  /**
   * Decides about a CONNECT. It may block or complete the answer later, within {@code
   * securityConfig.providerTimeout}; an exception, a failed stage or a late one denies.
   */
  CompletionStage<Authentication> authenticate(ConnectAttempt attempt);
}
