package io.fjordmq.api.auth;

import java.util.List;
import java.util.concurrent.Executor;

/**
 * A kind of provider, such as {@code redis}. Found with {@link java.util.ServiceLoader}; its class
 * has a public no-argument constructor.
 *
 * @since 0.1.0
 */
public interface ProviderType {

  /** Opens a provider whose settings are valid. */
  @FunctionalInterface
  interface Opening<P> {
    /**
     * Opens the provider without waiting for a connection: a service that is down must not prevent
     * the startup of the broker.
     *
     * @param executor runs the calls of the provider, and can run slow computations such as
     *     password hashes. It rejects work only when the provider is closed
     * @throws Exception if the provider cannot be used; prevents startup
     */
    P open(Executor executor) throws Exception;
  }

  /** The name, e.g. {@code redis}, which is the value of {@code type} in the configuration. */
  String name();

  /** The keys of the configuration besides those that all providers have. */
  List<ProviderKey> keys();

  /** Whether it can be an authentication provider. */
  boolean authenticates();

  /** Whether it can be an authorization provider. */
  boolean authorizes();

  /**
   * Checks the settings of an authentication provider, including the files that they name. Called
   * only if this kind of provider {@linkplain #authenticates authenticates}.
   *
   * @return opens the provider
   * @throws IllegalArgumentException if a setting is invalid; the message begins with its key
   */
  default Opening<AuthenticationProvider> authentication(ProviderSettings settings) {
    throw new UnsupportedOperationException(name() + " providers cannot authenticate clients");
  }

  /**
   * Checks the settings of an authorization provider, including the files that they name. Called
   * only if this kind of provider {@linkplain #authorizes authorizes}.
   *
   * @return opens the provider
   * @throws IllegalArgumentException if a setting is invalid; the message begins with its key
   */
  default Opening<AuthorizationProvider> authorization(ProviderSettings settings) {
    throw new UnsupportedOperationException(name() + " providers cannot authorize clients");
  }
}
