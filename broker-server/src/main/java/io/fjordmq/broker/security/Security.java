package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.api.plugin.Extension;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates clients and decides what each client may do. Thread-safe; no method that serves
 * clients blocks.
 */
public final class Security implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Security.class);

  private final SecuritySettings settings;
  private final SecurityObserver observer;
  private final List<Plugin> plugins;
  private final PluginEvents events;
  private final ClientRefusals clientRefusals;
  private final Denials denials;
  private final AuthenticatorChain authenticators;
  private final Map<String, Provider<EnhancedAuthenticator>> methods;
  private final Authorization authorization;
  private final List<WatchedFile<?>> watched = new ArrayList<>();
  private @Nullable PasswordAuthenticator passwords;
  private @Nullable ScheduledExecutorService watcher;

  /**
   * Creates the security components from the settings, with a monotonic clock for failed logins.
   */
  public static Security open(
      SecuritySettings settings, List<Plugin> plugins, SecurityObserver observer)
      throws SecurityStartException {
    InstantSource clock = () -> Instant.ofEpochMilli(System.nanoTime() / 1_000_000);
    return open(settings, plugins, clock, observer);
  }

  /**
   * Creates the security components from the settings.
   *
   * @param plugins the plugins in call order; not closed by this object
   * @throws SecurityStartException if a file cannot be read, or two plugins provide the same
   *     authentication method
   */
  public static Security open(
      SecuritySettings settings,
      List<Plugin> plugins,
      InstantSource clock,
      SecurityObserver observer)
      throws SecurityStartException {
    Security security = new Security(settings, plugins, clock, observer);
    security.watch();
    return security;
  }

  /**
   * Creates an instance that admits every client to the tenant with all rights; for tests of other
   * features.
   */
  public static Security allowAll(String tenant) {
    Identity identity = new Identity(tenant, null, null, Map.of());
    Authenticator authenticator = attempt -> new Authentication.Allow(identity).now();
    try {
      return open(
          SecuritySettings.DEFAULTS,
          List.of(new Plugin("allow all", List.of(authenticator), Runnable::run)),
          SecurityObserver.NONE);
    } catch (SecurityStartException e) {
      throw new IllegalStateException("cannot fail without files and plugins", e);
    }
  }

  private Security(
      SecuritySettings settings,
      List<Plugin> plugins,
      InstantSource clock,
      SecurityObserver observer)
      throws SecurityStartException {
    this.settings = settings;
    this.observer = observer;
    this.plugins = plugins;
    events =
        new PluginEvents(
            pluginProviders(ClientEventListener.class), settings.maxWaitingEvents(), observer);
    clientRefusals =
        new ClientRefusals(new LoginLimiter(settings, clock, observer), observer, events);
    denials = new Denials(observer, events);
    methods = methods(pluginProviders(EnhancedAuthenticator.class));
    authenticators = new AuthenticatorChain(chain(), clientRefusals);
    authorization = new Authorization(aclFile(), pluginProviders(Authorizer.class), settings);
  }

  private <E extends Extension> List<Provider<E>> pluginProviders(Class<E> kind) {
    return plugins.stream()
        .flatMap(plugin -> plugin.providers(kind, settings.providerTimeout()).stream())
        .toList();
  }

  private static Map<String, Provider<EnhancedAuthenticator>> methods(
      List<Provider<EnhancedAuthenticator>> providers) throws SecurityStartException {
    Map<String, Provider<EnhancedAuthenticator>> methods = new HashMap<>();
    for (Provider<EnhancedAuthenticator> one : providers) {
      String method = one.extension().method();
      Provider<EnhancedAuthenticator> other = methods.put(method, one);
      if (other != null) {
        throw new SecurityStartException(
            "both "
                + other.name()
                + " and "
                + one.name()
                + " provide the authentication method "
                + method
                + "; remove one of them");
      }
    }
    return methods;
  }

  private List<Provider<Authenticator>> chain() throws SecurityStartException {
    List<Provider<Authenticator>> chain = new ArrayList<>();
    if (settings.useCommonNameAsUsername()) {
      chain.add(builtIn("securityConfig.useCommonNameAsUsername", new CertificateAuthenticator()));
    }
    if (!settings.passwordFile().isEmpty()) {
      WatchedFile<PasswordFile> file =
          watched("securityConfig.passwordFile", settings.passwordFile(), PasswordFile::read);
      passwords = new PasswordAuthenticator(file, settings, observer);
      chain.add(builtIn("securityConfig.passwordFile", passwords));
    }
    chain.addAll(pluginProviders(Authenticator.class));
    boolean onlyAnonymous = chain.isEmpty() && methods.isEmpty();
    Authenticator anonymous = new AnonymousAuthenticator(settings.allowAnonymous(), onlyAnonymous);
    chain.add(builtIn("securityConfig.allowAnonymous", anonymous));
    if (onlyAnonymous) {
      warnIfAnonymous();
    }
    return List.copyOf(chain);
  }

  private Provider<Authenticator> builtIn(String name, Authenticator authenticator) {
    return Provider.of(name, authenticator, Runnable::run, settings.providerTimeout());
  }

  private @Nullable WatchedFile<AclFile> aclFile() throws SecurityStartException {
    return settings.aclFile().isEmpty()
        ? null
        : watched(Authorization.ACL_FILE, settings.aclFile(), AclFile::read);
  }

  private <T> WatchedFile<T> watched(String setting, String file, WatchedFile.Reader<T> reader)
      throws SecurityStartException {
    WatchedFile<T> watchedFile = new WatchedFile<>(setting, file, reader, observer);
    watched.add(watchedFile);
    return watchedFile;
  }

  private void warnIfAnonymous() {
    switch (settings.allowAnonymous()) {
      case AUTO, LOOPBACK ->
          LOG.warn(
              "No authentication is configured: local clients may do everything, and all other"
                  + " clients are refused; set securityConfig.passwordFile, or"
                  + " securityConfig.allowAnonymous: true");
      case TRUE ->
          LOG.warn(
              "Anonymous access is allowed (securityConfig.allowAnonymous: true): any client "
                  + "that can reach a listener may do everything that securityConfig.aclFile and "
                  + "plugins do not deny");
      case FALSE ->
          LOG.warn(
              "Every client is refused: securityConfig.allowAnonymous is false and no "
                  + "authentication is configured; set securityConfig.passwordFile");
    }
  }

  private void watch() {
    if (watched.isEmpty()) {
      return;
    }
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "security-files"));
    watcher = thread;
    long millis = settings.reloadInterval().toMillis();
    thread.scheduleWithFixedDelay(this::poll, millis, millis, TimeUnit.MILLISECONDS);
  }

  /** Checks the files for changes. Called periodically. */
  void poll() {
    for (WatchedFile<?> file : watched) {
      try {
        file.poll();
      } catch (RuntimeException e) {
        LOG.error(
            "Failed to check securityConfig files for changes; retrying at the next interval", e);
      }
    }
  }

  /** Decides about a CONNECT without an authentication method. */
  public CompletableFuture<ConnectAdmission> admit(ConnectAttempt attempt) {
    Refused blocked = clientRefusals.refuseIfBlocked(attempt);
    if (blocked != null) {
      return CompletableFuture.completedFuture(blocked);
    }
    long begin = System.nanoTime();
    return authenticators
        .admit(attempt)
        .whenComplete((done, error) -> observer.onAuthenticated(System.nanoTime() - begin));
  }

  /**
   * Begins an exchange of AUTH packets.
   *
   * @param before the client's current identity; null at CONNECT
   * @return the exchange; null if no authenticator provides the method
   */
  public @Nullable AuthenticationExchange exchange(
      String method, ConnectAttempt attempt, @Nullable ClientInfo before) {
    Provider<EnhancedAuthenticator> provider = methods.get(method);
    return provider == null
        ? null
        : new AuthenticationExchange(provider, attempt, before, clientRefusals);
  }

  /**
   * Refuses a CONNECT that has an unknown authentication method or comes from an address with too
   * many failed logins; returns null for any other CONNECT.
   */
  public @Nullable Refused refuseMethod(String method, ConnectAttempt attempt) {
    Refused blocked = clientRefusals.refuseIfBlocked(attempt);
    if (blocked != null || methods.containsKey(method)) {
      return blocked;
    }
    return clientRefusals.refuse(
        attempt,
        Refusal.BAD_AUTHENTICATION_METHOD,
        DenialCause.BAD_METHOD,
        "unknown authentication method " + method,
        "");
  }

  /** Returns the access rights of an admitted client. */
  public ClientAccess accessOf(Admitted admitted) {
    return new ClientAccess(authorization, denials, admitted.client(), admitted.permissions());
  }

  /** The events for plugins. */
  public PluginEvents events() {
    return events;
  }

  @Override
  public void close() throws InterruptedException {
    if (watcher != null) {
      watcher.shutdownNow();
    }
    if (passwords != null) {
      passwords.close();
    }
    events.close();
  }
}
