package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.broker.providers.ProviderInfo;
import org.jspecify.annotations.Nullable;

/**
 * An authentication method of MQTT 5.
 *
 * @param info the element of the list of providers; null for a plugin, which serves all listeners
 */
record AuthenticationMethod(Provider<EnhancedAuthenticator> provider, @Nullable ProviderInfo info) {

  /** Whether clients of the listener can use the method. */
  boolean serves(String listener) {
    return info == null || info.serves(listener);
  }
}
