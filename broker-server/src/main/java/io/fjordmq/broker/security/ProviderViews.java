package io.fjordmq.broker.security;

import io.fjordmq.broker.providers.GuardedActions;
import io.fjordmq.broker.providers.GuardedAuthentication;
import io.fjordmq.broker.providers.GuardedRules;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import io.fjordmq.broker.providers.ProviderInfo;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** The configured providers of this node, for operators. Thread-safe. */
public final class ProviderViews {
  /**
   * One provider.
   *
   * @param breakerOpen whether its circuit breaker is open
   * @param cached the number of cached results
   * @param clearCache removes the cached results
   */
  public record View(
      ProviderInfo info, BooleanSupplier breakerOpen, IntSupplier cached, Runnable clearCache) {

    /** A provider that is disabled or part of the broker. */
    static View of(ProviderInfo info) {
      return new View(info, () -> false, () -> 0, () -> {});
    }

    static View of(GuardedAuthentication provider) {
      return new View(
          provider.info(), provider::isBreakerOpen, provider::cachedResults, provider::clearCache);
    }

    static View of(GuardedRules provider) {
      return new View(
          provider.info(), provider::isBreakerOpen, provider::cachedResults, provider::clearCache);
    }

    static View of(GuardedActions provider) {
      return new View(
          provider.info(), provider::isBreakerOpen, provider::cachedResults, provider::clearCache);
    }
  }

  private final List<View> views;
  private final Runnable clearCertificates;

  /**
   * @param clearCertificates removes cached results about certificates
   */
  ProviderViews(List<View> views, Runnable clearCertificates) {
    this.views = List.copyOf(views);
    this.clearCertificates = clearCertificates;
  }

  /** The providers of a list in order. */
  public List<View> of(Chain chain) {
    return views.stream().filter(view -> view.info().chain() == chain).toList();
  }

  /** Removes all cached results of a list; connected clients then reload their rules. */
  public void clearCaches(Chain chain) {
    of(chain).forEach(view -> view.clearCache().run());
    if (chain == Chain.AUTHENTICATION) {
      clearCertificates.run();
    }
  }
}
