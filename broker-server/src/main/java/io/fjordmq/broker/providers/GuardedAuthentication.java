package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthenticationResult;
import io.fjordmq.api.auth.ClientContext;
import io.fjordmq.api.auth.Escaper;
import io.fjordmq.api.auth.Template;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Identity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** An authentication provider, with limits and a cache. Thread-safe; does not block. */
public final class GuardedAuthentication implements AutoCloseable {
  private final OpenProvider<AuthenticationResult> open;
  private final AuthenticationProvider provider;
  private final @Nullable Template tenant;

  /**
   * @param tenant the tenant of all clients that the provider admits; null if the provider chooses
   */
  GuardedAuthentication(
      OpenProvider<AuthenticationResult> open,
      AuthenticationProvider provider,
      @Nullable Template tenant) {
    this.open = open;
    this.provider = provider;
    this.tenant = tenant;
  }

  /** How results are counted and cached. */
  static OpenProvider.Reading<AuthenticationResult> reading(InstantSource clock) {
    return new OpenProvider.Reading<>(
        GuardedAuthentication::outcomeOf,
        AuthenticationResult::maxAge,
        result -> nanosUntilExpiry(result, clock));
  }

  private static CallOutcome outcomeOf(AuthenticationResult result) {
    if (result.authentication() instanceof Authentication.Allow) {
      return CallOutcome.ALLOW;
    }
    return result.authentication() instanceof Authentication.Pass
        ? CallOutcome.IGNORE
        : CallOutcome.DENY;
  }

  private static long nanosUntilExpiry(AuthenticationResult result, InstantSource clock) {
    Instant end =
        result.authentication() instanceof Authentication.Allow allow
            ? allow.identity().expiresAt()
            : null;
    if (end == null) {
      return Long.MAX_VALUE;
    }
    long seconds = Duration.between(clock.instant(), end).toSeconds();
    return seconds > Integer.MAX_VALUE
        ? Long.MAX_VALUE
        : Duration.ofSeconds(Math.max(0, seconds)).toNanos();
  }

  /** The provider, for operators. */
  public ProviderInfo info() {
    return open.info();
  }

  /**
   * Authenticates a client.
   *
   * @param useCache false to call the provider in any case
   * @param abandoned whether the client has disconnected
   * @return the result, or a {@link CallFailedException}; completes on any thread
   */
  public CompletableFuture<AuthenticationResult> authenticate(
      ClientContext client, boolean useCache, BooleanSupplier abandoned) {
    return open.ask(
            provider.cacheKey(client),
            useCache ? OpenProvider.Caching.USE : OpenProvider.Caching.BYPASS,
            () -> provider.authenticate(client),
            abandoned)
        .thenApply(result -> withTenant(client, result));
  }

  private AuthenticationResult withTenant(ClientContext client, AuthenticationResult result) {
    if (tenant == null || !(result.authentication() instanceof Authentication.Allow allow)) {
      return result;
    }
    Identity identity = allow.identity();
    ClientContext known =
        ClientContext.withoutPassword(
            client.clientId(),
            identity.userName(),
            client.address(),
            client.certificate(),
            client.listener(),
            identity.tenant(),
            identity.attributes());
    String name = tenant.render(known, Escaper.NONE);
    if (name == null) {
      return AuthenticationResult.deny("the tenant '" + tenant + "' has no value for this client");
    }
    return AuthenticationResult.allow(
            new Identity(
                name,
                identity.userName(),
                identity.permissions(),
                identity.attributes(),
                identity.superuser(),
                identity.expiresAt(),
                identity.limits(),
                identity.clientId()))
        .cachedFor(result.maxAge());
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
