package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import java.time.Duration;
import java.util.List;

/**
 * The limits of a provider that is not part of the broker.
 *
 * @param timeout time limit for a result, including the time in the queue and repeated calls
 * @param maxConcurrent maximum number of unanswered calls
 * @param maxWaiting maximum number of calls that wait because of maxConcurrent
 * @param threads maximum number of threads for calls and password hashes
 * @param retries how often a call is repeated after an error that makes this safe
 * @param breakerFailures number of consecutive failed calls after which the circuit breaker opens;
 *     0 for no circuit breaker
 * @param breakerTime how long an open circuit breaker refuses calls
 * @param cacheTime how long results that allow, and rules, are cached; zero to not cache them
 * @param negativeCacheTime how long results that deny or ignore are cached; zero to not cache them
 * @param refreshInterval how long a connected client's rules are used before they are loaded again
 * @param cacheSize maximum number of cached results of each of these kinds
 */
public record ProviderLimits(
    Duration timeout,
    int maxConcurrent,
    int maxWaiting,
    int threads,
    int retries,
    int breakerFailures,
    Duration breakerTime,
    Duration cacheTime,
    Duration negativeCacheTime,
    Duration refreshInterval,
    int cacheSize) {

  private static final Duration DAY = Duration.ofDays(1);

  /** The keys of these settings, and of those that all providers have. */
  static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.value("type"),
          ProviderKey.value("name"),
          ProviderKey.value("enable"),
          ProviderKey.value("listeners"),
          ProviderKey.value("timeout"),
          ProviderKey.value("onError"),
          ProviderKey.value("maxConcurrent"),
          ProviderKey.value("maxWaiting"),
          ProviderKey.value("threads"),
          ProviderKey.value("retries"),
          ProviderKey.value("breakerFailures"),
          ProviderKey.value("breakerTime"),
          ProviderKey.value("cacheTime"),
          ProviderKey.value("negativeCacheTime"),
          ProviderKey.value("refreshInterval"),
          ProviderKey.value("cacheSize"));

  /**
   * Reads the settings.
   *
   * @param defaultTimeout the value of {@code securityConfig.providerTimeout}
   * @param defaultCacheTime how long results are cached unless it is configured
   * @throws IllegalArgumentException if a value is invalid; the message begins with its key
   */
  static ProviderLimits of(
      ProviderSettings settings, Duration defaultTimeout, Duration defaultCacheTime) {
    int processors = Runtime.getRuntime().availableProcessors();
    return new ProviderLimits(
        settings.duration("timeout", defaultTimeout, Duration.ofMillis(10), Duration.ofHours(1)),
        settings.number("maxConcurrent", 64, 1, 10_000),
        settings.number("maxWaiting", 1_000, 0, 1_000_000),
        settings.number("threads", Math.max(2, processors / 2), 1, 256),
        settings.number("retries", 1, 0, 10),
        settings.number("breakerFailures", 10, 0, 1_000_000),
        settings.duration("breakerTime", Duration.ofSeconds(5), Duration.ofMillis(10), DAY),
        settings.duration("cacheTime", defaultCacheTime, Duration.ZERO, DAY),
        settings.duration("negativeCacheTime", Duration.ZERO, Duration.ZERO, DAY),
        settings.duration("refreshInterval", Duration.ofMinutes(1), Duration.ofSeconds(1), DAY),
        settings.number("cacheSize", 10_000, 1, 10_000_000));
  }
}
