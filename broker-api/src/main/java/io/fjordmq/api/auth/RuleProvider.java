package io.fjordmq.api.auth;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Returns the rules of a client, which the broker loads before the CONNACK, evaluates for every
 * publish, subscription and received message, and loads again from time to time. Its methods are
 * called concurrently on the executor that it was opened with, and must not block.
 *
 * @since 0.1.0
 */
public non-sealed interface RuleProvider extends AuthorizationProvider {

  /**
   * Returns the rules of a client, or none if the provider does not know it. The stage fails with a
   * {@link ProviderException} if the provider cannot respond; it must complete when it is canceled.
   */
  CompletionStage<RuleResult> rules(ClientContext client);

  /**
   * Returns everything that the result depends on, so that an equal text gets an equal result; null
   * if the result must not be cached.
   */
  @Nullable String cacheKey(ClientContext client);
}
