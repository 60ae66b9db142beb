package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.RuleProvider;
import io.fjordmq.api.auth.RuleResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** A provider of rules, with limits and a cache. Thread-safe; does not block. */
public final class GuardedRules implements AutoCloseable {
  private final OpenProvider<RuleResult> open;
  private final RuleProvider provider;
  private final AtomicLong generation = new AtomicLong();

  GuardedRules(OpenProvider<RuleResult> open, RuleProvider provider) {
    this.open = open;
    this.provider = provider;
  }

  /** How results are counted and cached. */
  static OpenProvider.Reading<RuleResult> reading() {
    return new OpenProvider.Reading<>(
        result -> result.rules().isEmpty() ? CallOutcome.IGNORE : CallOutcome.RULES,
        RuleResult::maxAge,
        result -> Long.MAX_VALUE);
  }

  /** The provider, for operators. */
  public ProviderInfo info() {
    return open.info();
  }

  /**
   * Returns the rules of a client.
   *
   * @param useCache false to call the provider in any case
   * @param abandoned whether the client has disconnected
   * @return the result, or a {@link CallFailedException}; completes on any thread
   */
  public CompletableFuture<RuleResult> rules(
      ClientContext client, boolean useCache, BooleanSupplier abandoned) {
    return open.ask(
        provider.cacheKey(client),
        useCache ? OpenProvider.Caching.USE : OpenProvider.Caching.BYPASS,
        () -> provider.rules(client),
        abandoned);
  }

  /** How long the rules of a connected client are used before they are loaded again. */
  public Duration refreshInterval() {
    return open.refreshTime();
  }

  /** Changes when {@link #clearCache} is called; connected clients then reload their rules. */
  public long generation() {
    return generation.get();
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
    generation.incrementAndGet();
  }

  @Override
  public void close() throws Exception {
    open.close();
  }
}
