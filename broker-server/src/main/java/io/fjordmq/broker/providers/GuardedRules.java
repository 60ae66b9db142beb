package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ClientFacts;
import io.fjordmq.api.auth.RuleAnswer;
import io.fjordmq.api.auth.RuleProvider;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** A provider of rules, with limits and a cache. Thread-safe; does not block. */
public final class GuardedRules implements AutoCloseable {
  private final OpenProvider<RuleAnswer> open;
  private final RuleProvider provider;
  private final AtomicLong generation = new AtomicLong();

  GuardedRules(OpenProvider<RuleAnswer> open, RuleProvider provider) {
    this.open = open;
    this.provider = provider;
  }

  /** How answers are counted and cached. */
  static OpenProvider.Reading<RuleAnswer> reading() {
    return new OpenProvider.Reading<>(
        answer -> answer.rules().isEmpty() ? CallOutcome.IGNORE : CallOutcome.RULES,
        RuleAnswer::maxAge,
        answer -> Long.MAX_VALUE);
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
   * @return the answer, or a {@link CallFailedException}; completes on any thread
   */
  public CompletableFuture<RuleAnswer> rules(
      ClientFacts client, boolean useCache, BooleanSupplier abandoned) {
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

  /** The number of cached answers. */
  public int cachedAnswers() {
    return open.cachedAnswers();
  }

  /** Removes all cached answers. */
  public void clearCache() {
    open.clearCache();
    generation.incrementAndGet();
  }

  @Override
  public void close() throws Exception {
    open.close();
  }
}
