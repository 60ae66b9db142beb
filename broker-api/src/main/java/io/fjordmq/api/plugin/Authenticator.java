package io.fjordmq.api.plugin;

import java.util.concurrent.CompletionStage;

/**
 * Establishes the identity of a client. The broker calls the authenticators in order until one
 * allows or denies the connection. If all of them pass, the connection is refused.
 *
 * <p>A CONNECT with an Authentication Method (MQTT 5.0 §4.12) is handled only by the {@link
 * EnhancedAuthenticator} for that method.
 *
 * @since 0.1.0
 */
public interface Authenticator extends Extension {

  /**
   * Allows or denies a CONNECT. The method may block, or complete the stage later, within {@code
   * securityConfig.providerTimeout}. An exception, a failed stage or a timeout denies the
   * connection.
   */
  CompletionStage<Authentication> authenticate(ConnectAttempt attempt);
}
