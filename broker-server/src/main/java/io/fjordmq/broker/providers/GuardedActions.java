package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ActionProvider;
import io.fjordmq.api.auth.AuthorizationResult;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Decision;
import java.util.concurrent.CompletableFuture;

/** A provider that decides on actions, with limits and a cache. Thread-safe; does not block. */
public final class GuardedActions implements AutoCloseable {
  private final OpenProvider<AuthorizationResult> open;
  private final ActionProvider provider;

  GuardedActions(OpenProvider<AuthorizationResult> open, ActionProvider provider) {
    this.open = open;
    this.provider = provider;
  }

  /** How results are counted and cached. */
  static OpenProvider.Reading<AuthorizationResult> reading() {
    return new OpenProvider.Reading<>(
        result -> outcomeOf(result.decision()),
        AuthorizationResult::maxAge,
        result -> Long.MAX_VALUE);
  }

  private static CallOutcome outcomeOf(Decision decision) {
    return switch (decision) {
      case ALLOW -> CallOutcome.ALLOW;
      case DENY -> CallOutcome.DENY;
      case PASS -> CallOutcome.IGNORE;
    };
  }

  /** The provider, for operators. */
  public ProviderInfo info() {
    return open.info();
  }

  /**
   * Decides on an action.
   *
   * @param useCache false to call the provider in any case
   * @return the result, or a {@link CallFailedException}; completes on any thread
   */
  public CompletableFuture<AuthorizationResult> authorize(
      ClientContext client, Action action, boolean useCache) {
    return open.ask(
        provider.cacheKey(client, action),
        useCache ? OpenProvider.Caching.USE : OpenProvider.Caching.BYPASS,
        () -> provider.authorize(client, action),
        () -> false);
  }

  /** Whether the circuit breaker is open. */
  public boolean isBreakerOpen() {
    return open.isBreakerOpen();
  }

  /** The number of cached results. */
  public int cachedResults() {
    return open.cachedResults();
  }

  /** Removes all cached results. */
  public void clearCache() {
    open.clearCache();
  }

  @Override
  public void close() throws Exception {
    open.close();
  }
}
