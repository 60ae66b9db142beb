package io.fjordmq.broker.providers;

import io.fjordmq.api.auth.ActionProvider;
import io.fjordmq.api.auth.AuthenticationProvider;
import io.fjordmq.api.auth.AuthenticationResult;
import io.fjordmq.api.auth.AuthorizationProvider;
import io.fjordmq.api.auth.AuthorizationResult;
import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.api.auth.ProviderType;
import io.fjordmq.api.auth.RuleProvider;
import io.fjordmq.api.auth.RuleResult;
import io.fjordmq.api.auth.Template;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks and opens the providers of one list. Used by the thread that starts the node. */
public final class ProviderOpening {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");
  private static final Duration RULE_CACHE_TIME = Duration.ofMinutes(1);

  /** Returns the meter of a provider. */
  @FunctionalInterface
  public interface Meters {
    ProviderMeter meter(ProviderInfo info);
  }

  private final ProviderCatalog catalog;
  private final Duration defaultTimeout;
  private final Meters meters;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Set<String> names = new HashSet<>();

  /**
   * @param defaultTimeout the value of {@code securityConfig.providerTimeout}
   */
  public ProviderOpening(ProviderCatalog catalog, Duration defaultTimeout, Meters meters) {
    this(catalog, defaultTimeout, meters, InstantSource.system(), System::nanoTime);
  }

  ProviderOpening(
      ProviderCatalog catalog,
      Duration defaultTimeout,
      Meters meters,
      InstantSource clock,
      LongSupplier nanoTime) {
    this.catalog = catalog;
    this.defaultTimeout = defaultTimeout;
    this.meters = meters;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /**
   * Checks the settings of all providers, including the files that they name.
   *
   * @return one message for each invalid provider, beginning with the key
   */
  public List<String> problems(List<ProviderEntry> entries) {
    List<String> problems = new ArrayList<>();
    for (ProviderEntry entry : entries) {
      try {
        info(entry);
        if (BuiltInType.named(entry.type()) == null) {
          limits(entry);
          if (entry.chain() == Chain.AUTHENTICATION) {
            tenant(entry.settings());
            catalog.authentication(entry);
          } else {
            catalog.authorization(entry);
          }
        }
      } catch (IllegalArgumentException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    names.clear();
    return problems;
  }

  /** Returns the common settings of a provider, with a name that is unique in its list. */
  public ProviderInfo info(ProviderEntry entry) {
    ProviderSettings settings = entry.settings();
    String name = settings.text("name", "");
    if (name.isEmpty()) {
      name = entry.type();
      for (int i = 2; !names.add(name); i++) {
        name = entry.type() + ":" + i;
      }
    } else if (!NAME.matcher(name).matches()) {
      throw settings.invalid("name", "1 to 64 letters, digits or any of _ . : -", name);
    } else if (!names.add(name)) {
      throw new IllegalArgumentException(
          settings.path() + ".name must be unique in its list, but '" + name + "' is used twice");
    }
    return new ProviderInfo(
        entry.chain(),
        name,
        entry.type(),
        settings.flag("enable", true),
        Set.copyOf(settings.list("listeners")),
        settings.oneOf("onError", "deny", "ignore").equals("ignore"));
  }

  /** Returns the meter of a provider that is part of the broker. */
  public ProviderMeter meter(ProviderInfo info) {
    return meters.meter(info);
  }

  /**
   * Opens an authentication provider.
   *
   * @throws IllegalArgumentException if a setting is invalid; the message begins with its key
   * @throws Exception if the provider cannot be opened
   */
  public GuardedAuthentication openAuthentication(ProviderEntry entry, ProviderInfo info)
      throws Exception {
    ProviderLimits limits = limits(entry);
    Template tenant = tenant(entry.settings());
    ProviderType.Opening<AuthenticationProvider> opening = catalog.authentication(entry);
    ProviderThreads threads = new ProviderThreads(info.name(), limits);
    AuthenticationProvider provider = opened(opening, threads);
    OpenProvider<AuthenticationResult> open =
        new OpenProvider<>(
            info,
            limits,
            GuardedAuthentication.reading(clock),
            provider,
            threads,
            meters.meter(info),
            nanoTime);
    return new GuardedAuthentication(open, provider, tenant);
  }

  /**
   * Opens an authorization provider.
   *
   * @return {@link GuardedRules} or {@link GuardedActions}
   * @throws IllegalArgumentException if a setting is invalid; the message begins with its key
   * @throws Exception if the provider cannot be opened
   */
  public AutoCloseable openAuthorization(ProviderEntry entry, ProviderInfo info) throws Exception {
    ProviderLimits limits = limits(entry);
    ProviderType.Opening<AuthorizationProvider> opening = catalog.authorization(entry);
    ProviderThreads threads = new ProviderThreads(info.name(), limits);
    AuthorizationProvider provider = opened(opening, threads);
    if (provider instanceof RuleProvider rules) {
      OpenProvider<RuleResult> open =
          new OpenProvider<>(
              info, limits, GuardedRules.reading(), rules, threads, meters.meter(info), nanoTime);
      return new GuardedRules(open, rules);
    }
    ActionProvider actions = (ActionProvider) provider;
    OpenProvider<AuthorizationResult> open =
        new OpenProvider<>(
            info, limits, GuardedActions.reading(), actions, threads, meters.meter(info), nanoTime);
    return new GuardedActions(open, actions);
  }

  private static <P> P opened(ProviderType.Opening<P> opening, ProviderThreads threads)
      throws Exception {
    try {
      return opening.open(threads);
    } catch (Exception | LinkageError e) {
      threads.close();
      throw e;
    }
  }

  private ProviderLimits limits(ProviderEntry entry) {
    Duration cacheTime = entry.chain() == Chain.AUTHENTICATION ? Duration.ZERO : RULE_CACHE_TIME;
    return ProviderLimits.of(entry.settings(), defaultTimeout, cacheTime);
  }

  private static @Nullable Template tenant(ProviderSettings settings) {
    return settings.isSet("tenant")
        ? settings.template("tenant", settings.text("tenant"), "cu")
        : null;
  }
}
