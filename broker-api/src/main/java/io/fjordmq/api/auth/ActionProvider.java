package io.fjordmq.api.auth;

import io.fjordmq.api.plugin.Action;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Decides about single actions. Its methods are called concurrently on the executor that it was
 * opened with, and must not block.
 *
 * @since 0.1.0
 */
public non-sealed interface ActionProvider extends AuthorizationProvider {

  /**
   * Decides about an action. The stage fails with a {@link ProviderException} if the provider
   * cannot respond; it must complete when it is canceled.
   */
  CompletionStage<AuthorizationResult> authorize(ClientContext client, Action action);

  /**
   * Returns everything that the result depends on, so that an equal text gets an equal result; null
   * if the result must not be cached.
   */
  @Nullable String cacheKey(ClientContext client, Action action);
}
