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
 * AnswerCache}. Thread-safe.
 *
 * @param <A> the answers
 */
final class OpenProvider<A> implements AutoCloseable {
  /**
   * How answers are counted and cached.
   *
   * @param outcome the outcome for metrics
   * @param maxAge the limit that the answer sets for its time in the cache; null for none
   * @param expiryNanos in how many nanoseconds the answer becomes invalid
   */
  record Reading<A>(
      Function<A, CallOutcome> outcome,
      Function<A, @Nullable Duration> maxAge,
      Function<A, Long> expiryNanos) {}

  /** Whether cached answers may be used. */
  enum Caching {
    USE,
    BYPASS
  }

  /** The longest time for which an answer is cached, whatever it says itself. */
  private static final Duration MAX_AGE = Duration.ofDays(1);

  private final ProviderInfo info;
  private final ProviderLimits limits;
  private final Reading<A> reading;
  private final CallGuard guard;
  private final AutoCloseable provider;
  private final ProviderThreads threads;
  private final ProviderMeter meter;
  private final AnswerCache<A> cache;

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
    // Even if nothing is cached by default, an answer can say how long it is valid.
    this.cache = new AnswerCache<>(limits.cacheSize(), nanoTime);
  }

  ProviderInfo info() {
    return info;
  }

  /**
   * Returns a cached answer, or calls the provider.
   *
   * @param key what the answer depends on; null if it must not be cached
   */
  CompletableFuture<A> ask(
      @Nullable String key,
      Caching caching,
      Supplier<CompletionStage<A>> request,
      BooleanSupplier abandoned) {
    if (key == null || caching == Caching.BYPASS) {
      return guard.call(request, abandoned, reading.outcome);
    }
    AnswerCache.Slot slot = cache.slot(key);
    A known = cache.find(slot);
    meter.onCacheLookup(known != null);
    if (known != null) {
      return CompletableFuture.completedFuture(known);
    }
    return guard
        .call(request, abandoned, reading.outcome)
        .whenComplete(
            (answer, error) -> {
              if (answer != null) {
                store(slot, answer);
              }
            });
  }

  private void store(AnswerCache.Slot slot, A answer) {
    CallOutcome outcome = reading.outcome.apply(answer);
    boolean positive = outcome == CallOutcome.ALLOW || outcome == CallOutcome.RULES;
    Duration maxAge = reading.maxAge.apply(answer);
    Duration time =
        maxAge != null ? maxAge : positive ? limits.cacheTime() : limits.negativeCacheTime();
    long nanos = (time.compareTo(MAX_AGE) > 0 ? MAX_AGE : time).toNanos();
    cache.put(slot, answer, positive, Math.min(nanos, reading.expiryNanos.apply(answer)));
  }

  /** How long rules are used before they are loaded again. */
  Duration refreshTime() {
    return limits.refreshInterval();
  }

  boolean isBreakerOpen() {
    return guard.isOpen();
  }

  int cachedAnswers() {
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
