package io.fjordmq.broker.providers;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The common base of guarded providers: calls go through a {@link CallGuard} and an {@link
 * ResultCache}. Thread-safe.
 *
 * @param <A> the results
 */
final class OpenProvider<A> implements AutoCloseable {
  /**
   * How results are counted and cached.
   *
   * @param outcome the outcome for metrics
   * @param maxAge the limit that the result sets for its time in the cache; null for none
   * @param expiryNanos in how many nanoseconds the result becomes invalid
   */
  record Reading<A>(
      Function<A, CallOutcome> outcome,
      Function<A, @Nullable Duration> maxAge,
      Function<A, Long> expiryNanos) {}

  /** Whether cached results may be used. */
  enum Caching {
    USE,
    BYPASS
  }

  /** The longest time for which a result is cached, whatever it says itself. */
  private static final Duration MAX_AGE = Duration.ofDays(1);

  private final ProviderInfo info;
  private final ProviderLimits limits;
  private final Reading<A> reading;
  private final CallGuard guard;
  private final AutoCloseable provider;
  private final ProviderThreads threads;
  private final ProviderMeter meter;
  private final ResultCache<A> cache;

  OpenProvider(
      ProviderInfo info,
      ProviderLimits limits,
      Reading<A> reading,
      AutoCloseable provider,
      ProviderThreads threads,
      ProviderMeter meter,
      LongSupplier nanoTime) {
    this.info = info;
    this.limits = limits;
    this.reading = reading;
    this.provider = provider;
    this.threads = threads;
    this.meter = meter;
    this.guard = new CallGuard(info.displayName(), limits, threads, meter, nanoTime);
    // Even if nothing is cached by default, a result can say how long it is valid.
    this.cache = new ResultCache<>(limits.cacheSize(), nanoTime);
  }

  ProviderInfo info() {
    return info;
  }

  /**
   * Returns a cached result, or calls the provider.
   *
   * @param key what the result depends on; null if it must not be cached
   */
  CompletableFuture<A> ask(
      @Nullable String key,
      Caching caching,
      Supplier<CompletionStage<A>> request,
      BooleanSupplier abandoned) {
    if (key == null || caching == Caching.BYPASS) {
      return guard.call(request, abandoned, reading.outcome);
    }
    ResultCache.Slot slot = cache.slot(key);
    A known = cache.find(slot);
    meter.onCacheLookup(known != null);
    if (known != null) {
      return CompletableFuture.completedFuture(known);
    }
    return guard
        .call(request, abandoned, reading.outcome)
        .whenComplete(
            (result, error) -> {
              if (result != null) {
                store(slot, result);
              }
            });
  }

  private void store(ResultCache.Slot slot, A result) {
    CallOutcome outcome = reading.outcome.apply(result);
    boolean positive = outcome == CallOutcome.ALLOW || outcome == CallOutcome.RULES;
    Duration maxAge = reading.maxAge.apply(result);
    Duration time =
        maxAge != null ? maxAge : positive ? limits.cacheTime() : limits.negativeCacheTime();
    long nanos = (time.compareTo(MAX_AGE) > 0 ? MAX_AGE : time).toNanos();
    cache.put(slot, result, positive, Math.min(nanos, reading.expiryNanos.apply(result)));
  }

  /** How long rules are used before they are loaded again. */
  Duration refreshTime() {
    return limits.refreshInterval();
  }

  boolean isBreakerOpen() {
    return guard.isOpen();
  }

  int cachedResults() {
    return cache.size();
  }

  void clearCache() {
    cache.clear();
  }

  @Override
  public void close() throws Exception {
    guard.close();
    try {
      provider.close();
    } finally {
      threads.close();
    }
  }
}
