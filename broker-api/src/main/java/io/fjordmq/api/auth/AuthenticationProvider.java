package io.fjordmq.api.auth;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates clients. Its methods are called concurrently on the executor that it was opened
 * with, and must not block: the broker limits the number of unanswered calls.
 *
 * @since 0.1.0
 */
public interface AuthenticationProvider extends AutoCloseable {

  /**
   * Authenticates a client. The stage fails with a {@link ProviderException} if the provider cannot
   * result; it must complete when it is canceled.
   */
  CompletionStage<AuthenticationResult> authenticate(ClientContext client);

  /**
   * Returns everything that the result depends on, including the password, so that an equal text
   * gets an equal result. The broker keeps only a keyed hash of it. Null if the result must not be
   * cached.
   */
  @Nullable String cacheKey(ClientContext client);

  /** Called once, after the last call. */
  @Override
  default void close() {}
}
