package io.fjordmq.broker.providers;

import io.fjordmq.broker.providers.ProviderEntry.Chain;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A service that the broker calls like a provider, although it is in neither list: with a time
 * limit, a bounded queue, a circuit breaker and a cache. Thread-safe; does not block.
 *
 * @param <A> the results
 */
public final class GuardedService<A> implements AutoCloseable {
  private static final int RETRIES = 1;
  private static final int BREAKER_FAILURES = 10;
  private static final Duration BREAKER_TIME = Duration.ofSeconds(5);

  /**
   * The limits of a service.
   *
   * @param timeout time limit for a result, including the time in the queue and a repeated call
   * @param maxConcurrent maximum number of unanswered calls
   * @param maxWaiting maximum number of calls that wait because of maxConcurrent
   * @param cacheSize maximum number of cached results that allow, and of others
   */
  public record Limits(Duration timeout, int maxConcurrent, int maxWaiting, int cacheSize) {}

  /**
   * How results are counted and cached.
   *
   * @param outcome the outcome for metrics
   * @param cacheTime how long a result is cached; not at all if this is not positive
   */
  public record Reading<A>(Function<A, CallOutcome> outcome, Function<A, Duration> cacheTime) {}

  private final OpenProvider<A> open;
  private final ProviderThreads threads;

  private GuardedService(OpenProvider<A> open, ProviderThreads threads) {
    this.open = open;
    this.threads = threads;
  }

  /**
   * Creates the service without calling it.
   *
   * @param name the name in the log
   */
  public static <A> GuardedService<A> open(
      String name, Limits limits, Reading<A> reading, ProviderMeter meter) {
    ProviderLimits all =
        new ProviderLimits(
            limits.timeout,
            limits.maxConcurrent,
            limits.maxWaiting,
            Math.max(2, Runtime.getRuntime().availableProcessors() / 2),
            RETRIES,
            BREAKER_FAILURES,
            BREAKER_TIME,
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO,
            limits.cacheSize);
    ProviderThreads threads = new ProviderThreads(name, all);
    ProviderInfo info = new ProviderInfo(Chain.AUTHENTICATION, name, name, true, Set.of(), false);
    return new GuardedService<>(
        new OpenProvider<>(
            info,
            all,
            new OpenProvider.Reading<>(
                reading.outcome, reading.cacheTime::apply, result -> Long.MAX_VALUE),
            () -> {},
            threads,
            meter,
            System::nanoTime),
        threads);
  }

  /**
   * Returns a cached result, or calls the service.
   *
   * @param key what the result depends on
   * @param useCache false to call the service in any case
   * @param request makes the call; runs on a thread of the service
   * @param abandoned whether nobody waits for the result anymore
   * @return the result, or a {@link CallFailedException}; completes on any thread
   */
  public CompletableFuture<A> ask(
      String key,
      boolean useCache,
      Supplier<CompletionStage<A>> request,
      BooleanSupplier abandoned) {
    return open.ask(
        key, useCache ? OpenProvider.Caching.USE : OpenProvider.Caching.BYPASS, request, abandoned);
  }

  /** Removes all cached results. */
  public void clearCache() {
    open.clearCache();
  }

  @Override
  public void close() {
    try {
      open.close();
    } catch (Exception e) {
      throw new IllegalStateException("the service itself has nothing to close", e);
    } finally {
      threads.close();
    }
  }
}
