package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ActionAnswer;
import io.fjordmq.api.auth.ActionProvider;
import io.fjordmq.api.auth.ClientFacts;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Decision;
import java.util.concurrent.CompletableFuture;

/** A provider that decides on actions, with limits and a cache. Thread-safe; does not block. */
public final class GuardedActions implements AutoCloseable {
  private final OpenProvider<ActionAnswer> open;
  private final ActionProvider provider;

  GuardedActions(OpenProvider<ActionAnswer> open, ActionProvider provider) {
    this.open = open;
    this.provider = provider;
  }

  /** How answers are counted and cached. */
  static OpenProvider.Reading<ActionAnswer> reading() {
    return new OpenProvider.Reading<>(
        answer -> outcomeOf(answer.decision()), ActionAnswer::maxAge, answer -> Long.MAX_VALUE);
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
   * @return the answer, or a {@link CallFailedException}; completes on any thread
   */
  public CompletableFuture<ActionAnswer> authorize(
      ClientFacts client, Action action, boolean useCache) {
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

  /** The number of cached answers. */
  public int cachedAnswers() {
    return open.cachedAnswers();
  }

  /** Removes all cached answers. */
  public void clearCache() {
    open.clearCache();
  }

  @Override
  public void close() throws Exception {
    open.close();
  }
}
