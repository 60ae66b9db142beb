package io.fjordmq.broker.security;

import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.RuleResult;
import io.fjordmq.broker.providers.GuardedRules;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rules that a provider returned for one client. They are loaded again from time to time; until
 * the provider responds, the previous rules stay in effect. Any thread can read them.
 */
final class ClientRules {
  private static final long RETRY_MILLIS = 5_000;

  private final GuardedRules provider;
  private final ClientContext client;
  private final long refreshMillis;
  private final AtomicBoolean loading = new AtomicBoolean();
  private volatile TopicRules current;
  private volatile long loadedAtMillis;
  private volatile long generation;
  private volatile long failedAtMillis = Long.MIN_VALUE;

  private ClientRules(
      GuardedRules provider, ClientContext client, TopicRules current, long generation, long now) {
    this.provider = provider;
    this.client = client;
    this.refreshMillis = provider.refreshInterval().toMillis();
    this.current = current;
    this.generation = generation;
    this.loadedAtMillis = now;
  }

  /**
   * Loads the rules of a client.
   *
   * @param useCache false to ask the provider in any case
   * @return the rules; without any rule if the provider cannot respond and its errors are ignored.
   *     Fails if they are not ignored
   */
  static CompletableFuture<ClientRules> load(
      GuardedRules provider,
      ClientContext client,
      boolean useCache,
      long nowMillis,
      BooleanSupplier abandoned) {
    long generation = provider.generation();
    return provider
        .rules(client, useCache, abandoned)
        .handle(
            (result, error) -> {
              if (result != null) {
                TopicRules rules = TopicRules.of(result.rules(), client);
                return CompletableFuture.completedFuture(
                    new ClientRules(provider, client, rules, generation, nowMillis));
              }
              if (!provider.info().ignoreErrors()) {
                return CompletableFuture.<ClientRules>failedFuture(
                    error == null ? new IllegalStateException("no rules") : error);
              }
              ClientRules none =
                  new ClientRules(
                      provider,
                      client,
                      new TopicRules(List.of()),
                      generation,
                      nowMillis - provider.refreshInterval().toMillis());
              none.failedAtMillis = nowMillis;
              return CompletableFuture.completedFuture(none);
            })
        .thenCompose(loaded -> loaded);
  }

  GuardedRules provider() {
    return provider;
  }

  /** The rules in effect; another object if they have changed. */
  TopicRules current() {
    return current;
  }

  /** Reloads the rules if this is due; does not wait for them. */
  void refreshIfDue(long nowMillis) {
    long wanted = provider.generation();
    boolean due = generation != wanted || hasPassed(loadedAtMillis, refreshMillis, nowMillis);
    if (!due
        || !hasPassed(failedAtMillis, RETRY_MILLIS, nowMillis)
        || !loading.compareAndSet(false, true)) {
      return;
    }
    provider
        .rules(client, true, () -> false)
        .whenComplete((result, error) -> onLoaded(result, nowMillis, wanted));
  }

  /** Whether an interval has passed; also if the wall clock was set back. */
  private static boolean hasPassed(long since, long interval, long now) {
    return since == Long.MIN_VALUE || now - since >= interval || now < since;
  }

  private void onLoaded(@Nullable RuleResult result, long requestedAtMillis, long wanted) {
    if (result != null) {
      TopicRules fresh = TopicRules.of(result.rules(), client);
      if (!fresh.equals(current)) {
        current = fresh;
      }
      loadedAtMillis = requestedAtMillis;
      generation = wanted;
    } else {
      failedAtMillis = requestedAtMillis; // the provider logs the failure
    }
    loading.set(false);
  }
}
