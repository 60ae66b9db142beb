package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.api.plugin.Extension;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.limits.MonotonicClock;
import io.fjordmq.broker.revocation.CertificateRevocation;
import io.fjordmq.broker.revocation.ExpiringList;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
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
  private final Map<String, AuthenticationMethod> methods;
  private final Authorization authorization;
  private final SecurityAssembly parts;
  private final RevocationCheck certificates;
  private volatile Runnable onIdentitiesChanged = () -> {};
  private @Nullable ScheduledExecutorService watcher;

  /**
   * Creates the security components from the settings, with a monotonic clock for failed logins.
   */
  public static Security open(
      SecuritySettings settings, List<Plugin> plugins, UserSource users, SecurityObserver observer)
      throws SecurityStartException {
    return open(settings, plugins, users, new MonotonicClock(), observer);
  }

  /**
   * Creates the security components from the settings.
   *
   * @param plugins the plugins in call order; not closed by this object
   * @param users the users and rules of providers of type {@code database}
   * @throws SecurityStartException if a file cannot be read, or two plugins provide the same
   *     authentication method
   */
  public static Security open(
      SecuritySettings settings,
      List<Plugin> plugins,
      UserSource users,
      InstantSource clock,
      SecurityObserver observer)
      throws SecurityStartException {
    Security security = new Security(settings, plugins, users, clock, observer);
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
          UserSource.NONE,
          SecurityObserver.NONE);
    } catch (SecurityStartException e) {
      throw new IllegalStateException("cannot fail without files and plugins", e);
    }
  }

  private Security(
      SecuritySettings settings,
      List<Plugin> plugins,
      UserSource users,
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
    List<AuthenticationMethod> ofPlugins =
        pluginProviders(EnhancedAuthenticator.class).stream()
            .map(provider -> new AuthenticationMethod(provider, null))
            .toList();
    parts = new SecurityAssembly(settings, plugins, users, observer);
    try {
      List<AuthenticationStep> chain = parts.chain(!ofPlugins.isEmpty());
      methods = methods(Stream.concat(ofPlugins.stream(), parts.methods().stream()).toList());
      if (chain.size() == 1 && methods.isEmpty()) {
        warnIfAnonymous();
      }
      authenticators = new AuthenticatorChain(chain, clientRefusals);
      authorization = new Authorization(parts.sources(), settings, InstantSource.system());
      // Last, because it must be closed if anything fails after it.
      certificates = RevocationCheck.open(settings, observer, clientRefusals);
    } catch (SecurityStartException | RuntimeException e) {
      parts.close();
      throw e;
    }
  }

  private <E extends Extension> List<Provider<E>> pluginProviders(Class<E> kind) {
    return plugins.stream()
        .flatMap(plugin -> plugin.providers(kind, settings.providerTimeout()).stream())
        .toList();
  }

  private static Map<String, AuthenticationMethod> methods(List<AuthenticationMethod> all)
      throws SecurityStartException {
    Map<String, AuthenticationMethod> methods = new HashMap<>();
    for (AuthenticationMethod one : all) {
      String method = one.provider().extension().method();
      AuthenticationMethod other = methods.put(method, one);
      if (other != null) {
        throw new SecurityStartException(
            "both "
                + other.provider().name()
                + " and "
                + one.provider().name()
                + " provide the authentication method "
                + method
                + "; remove one of them");
      }
    }
    return methods;
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
    if (parts.watched().isEmpty() && !certificates.hasLists()) {
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
    boolean changed = false;
    for (WatchedFile<?> file : parts.watched()) {
      try {
        changed |= file.poll() && parts.isPasswordFile(file);
      } catch (RuntimeException e) {
        LOG.error(
            "Failed to check securityConfig files for changes; retrying at the next interval", e);
      }
    }
    try {
      changed |= certificates.reload();
    } catch (RuntimeException e) {
      LOG.error("Failed to check revocation lists; retrying at the next interval", e);
    }
    try {
      if (changed) {
        onIdentitiesChanged.run();
      }
    } catch (RuntimeException e) {
      LOG.error("Failed to find clients to disconnect; please report this bug", e);
    }
  }

  /** Uses the limits of failed logins of these settings from now on. Other settings stay. */
  public void setLoginLimits(SecuritySettings changed) {
    clientRefusals.setLimits(changed);
  }

  /**
   * Sets what is called after revocation lists or password files have changed, on a background
   * thread.
   *
   * @param listener looks for connected clients whose certificate is now revoked, or whose user was
   *     removed or changed
   */
  public void onIdentitiesChanged(Runnable listener) {
    onIdentitiesChanged = listener;
  }

  /**
   * Asks OCSP responders about the certificates of connected clients from now on, if that is
   * configured. Called at most once, by the thread that starts the node.
   *
   * @param clients returns the connected clients that have a certificate; called on a background
   *     thread
   */
  public void recheckCertificates(Supplier<Iterator<ConnectedCertificate>> clients) {
    certificates.recheck(clients);
  }

  /** Whether clients with a certificate must be checked with {@link #refuseIfRevoked}. */
  public boolean checksRevocation() {
    return certificates.isEnabled();
  }

  /**
   * Refuses a CONNECT with a revoked certificate; empty for any other CONNECT. Completes on any
   * thread.
   *
   * @param issuers the issuers of the certificate; see {@link CertificateRevocation#check}
   * @param abandoned whether the client has disconnected; called on any thread
   */
  public CompletableFuture<Optional<Refused>> refuseIfRevoked(
      ConnectAttempt attempt, @Nullable List<X509Certificate> issuers, BooleanSupplier abandoned) {
    return certificates.check(attempt, issuers, abandoned);
  }

  /** Returns the revocation lists that have expired or expire soon. Can be called on any thread. */
  public List<ExpiringList> expiringRevocationLists() {
    return certificates.expiringLists();
  }

  /**
   * Returns why the client with the certificate must not be connected according to the current
   * revocation lists; null if it may be. Does not ask OCSP responders.
   */
  public @Nullable String findInRevocationLists(
      X509Certificate certificate, @Nullable List<X509Certificate> issuers) {
    return certificates.findInLists(certificate, issuers);
  }

  /** Decides about a CONNECT without an authentication method. */
  public CompletableFuture<ConnectAdmission> admit(ConnectAttempt attempt) {
    return admit(attempt, () -> false);
  }

  /**
   * Decides about a CONNECT without an authentication method.
   *
   * @param abandoned whether the client has disconnected; calls for it that are still waiting are
   *     then not made. Called on any thread
   */
  public CompletableFuture<ConnectAdmission> admit(
      ConnectAttempt attempt, BooleanSupplier abandoned) {
    Refused blocked = clientRefusals.refuseIfBlocked(attempt);
    if (blocked != null) {
      return CompletableFuture.completedFuture(blocked);
    }
    long begin = System.nanoTime();
    return authenticators
        .admit(Login.of(attempt, abandoned))
        .thenCompose(
            admission ->
                admission instanceof Admitted admitted
                    ? authorization.loadRules(attempt, admitted, clientRefusals, abandoned)
                    : CompletableFuture.completedFuture(admission))
        .whenComplete((done, error) -> observer.onAuthenticated(System.nanoTime() - begin));
  }

  /** Admits a client that the transport has authenticated. */
  public static Admitted admitKnown(ConnectAttempt attempt, Identity identity) {
    return new Admitted(
        ClientInfo.of(attempt, identity), identity.permissions(), new byte[0], attempt.listener());
  }

  /**
   * Begins an exchange of AUTH packets.
   *
   * @param before the client's current identity; null at CONNECT
   * @return the exchange; null if no authenticator provides the method
   */
  public @Nullable AuthenticationExchange exchange(
      String method, ConnectAttempt attempt, @Nullable ClientInfo before) {
    AuthenticationMethod known = methods.get(method);
    return known == null || !known.serves(attempt.listener())
        ? null
        : new AuthenticationExchange(
            known.provider(), attempt, before, clientRefusals, authorization);
  }

  /**
   * Refuses a CONNECT that has an unknown authentication method or comes from an address with too
   * many failed logins; returns null for any other CONNECT.
   */
  public @Nullable Refused refuseMethod(String method, ConnectAttempt attempt) {
    Refused blocked = clientRefusals.refuseIfBlocked(attempt);
    AuthenticationMethod known = methods.get(method);
    if (blocked != null || known != null && known.serves(attempt.listener())) {
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
    return new ClientAccess(authorization, denials, admitted);
  }

  /** Tests the configuration with the credentials of a client. */
  public LoginDryRun trial() {
    return new LoginDryRun(authenticators, authorization, certificates);
  }

  /** The configured providers, for operators. */
  public ProviderViews providers() {
    return parts.views(certificates::clearCache);
  }

  /** Which SCRAM verifiers the configured providers need. */
  public ScramPolicy scram() {
    return parts.scram();
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
    try {
      parts.close();
    } finally {
      try {
        certificates.close();
      } finally {
        events.close();
      }
    }
  }
}
