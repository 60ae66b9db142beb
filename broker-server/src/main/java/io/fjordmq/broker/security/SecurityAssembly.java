package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.Extension;
import io.fjordmq.broker.providers.BuiltInType;
import io.fjordmq.broker.providers.GuardedActions;
import io.fjordmq.broker.providers.GuardedAuthentication;
import io.fjordmq.broker.providers.GuardedRules;
import io.fjordmq.broker.providers.ProviderCatalog;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.providers.ProviderInfo;
import io.fjordmq.broker.providers.ProviderMeter;
import io.fjordmq.broker.providers.ProviderOpening;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the authenticators and the sources of access decisions: those in the lists of providers, or
 * the files and plugins if there is no list. Used by the thread that starts the node.
 */
final class SecurityAssembly {
  private static final Logger LOG = LoggerFactory.getLogger(SecurityAssembly.class);
  private static final String PASSWORD_FILE = "securityConfig.passwordFile";

  private final SecuritySettings settings;
  private final List<Plugin> plugins;
  private final UserSource users;
  private final SecurityObserver observer;
  private final ProviderCatalog catalog = new ProviderCatalog();
  private final List<WatchedFile<?>> watched = new ArrayList<>();
  private final Set<WatchedFile<?>> passwordFiles = new HashSet<>();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<ProviderViews.View> views = new ArrayList<>();
  private final List<AuthenticationMethod> methods = new ArrayList<>();
  private ScramPolicy scram = ScramPolicy.NONE;

  SecurityAssembly(
      SecuritySettings settings,
      List<Plugin> plugins,
      UserSource users,
      SecurityObserver observer) {
    this.settings = settings;
    this.plugins = plugins;
    this.users = users;
    this.observer = observer;
  }

  /** The files that must be checked for changes. */
  List<WatchedFile<?>> watched() {
    return watched;
  }

  /** Whether clients may have to be disconnected after a change of the file. */
  boolean isPasswordFile(WatchedFile<?> file) {
    return passwordFiles.contains(file);
  }

  /**
   * @param clearCertificates removes cached results about certificates
   */
  ProviderViews views(Runnable clearCertificates) {
    return new ProviderViews(views, clearCertificates);
  }

  /**
   * Returns the authenticators in order, ending with the one for anonymous clients.
   *
   * @param hasMethods whether a plugin provides an authentication method
   */
  List<AuthenticationStep> chain(boolean hasMethods) throws SecurityStartException {
    List<ProviderEntry> entries = settings.authenticationProviders();
    List<AuthenticationStep> chain =
        new ArrayList<>(entries.isEmpty() ? legacyChain() : configuredChain(entries));
    boolean only = entries.isEmpty() && chain.isEmpty() && !hasMethods;
    Authenticator anonymous = new AnonymousAuthenticator(settings.allowAnonymous(), only);
    chain.add(builtIn("securityConfig.allowAnonymous", anonymous));
    return List.copyOf(chain);
  }

  private List<AuthenticationStep> legacyChain() throws SecurityStartException {
    List<AuthenticationStep> chain = new ArrayList<>();
    if (settings.useCommonNameAsUsername()) {
      chain.add(builtIn("securityConfig.useCommonNameAsUsername", new CertificateAuthenticator()));
    }
    if (!settings.passwordFile().isEmpty()) {
      PasswordAuthenticator passwords = passwords(PASSWORD_FILE, settings.passwordFile());
      chain.add(
          new AuthenticationStep.Passwords(PASSWORD_FILE, passwords, null, ProviderMeter.NONE));
    }
    for (Provider<Authenticator> plugin : pluginProviders(Authenticator.class)) {
      chain.add(new AuthenticationStep.Direct(plugin, null, ProviderMeter.NONE));
    }
    return chain;
  }

  private AuthenticationStep builtIn(String name, Authenticator authenticator) {
    return new AuthenticationStep.Direct(direct(name, authenticator), null, ProviderMeter.NONE);
  }

  private <E extends Extension> Provider<E> direct(String name, E extension) {
    return Provider.of(name, extension, Runnable::run, settings.providerTimeout());
  }

  private PasswordAuthenticator passwords(String key, String file) throws SecurityStartException {
    WatchedFile<PasswordFile> watchedFile = watch(key, file, PasswordFile::read);
    passwordFiles.add(watchedFile);
    PasswordAuthenticator passwords = new PasswordAuthenticator(watchedFile, settings, observer);
    opened.add(passwords);
    return passwords;
  }

  private <E extends Extension> List<Provider<E>> pluginProviders(Class<E> kind) {
    return plugins.stream()
        .flatMap(plugin -> plugin.providers(kind, settings.providerTimeout()).stream())
        .toList();
  }

  private <T> WatchedFile<T> watch(String key, String file, WatchedFile.Reader<T> reader)
      throws SecurityStartException {
    WatchedFile<T> watchedFile = new WatchedFile<>(key, file, reader, observer);
    watched.add(watchedFile);
    return watchedFile;
  }

  private List<AuthenticationStep> configuredChain(List<ProviderEntry> entries)
      throws SecurityStartException {
    ProviderOpening opening =
        new ProviderOpening(catalog, settings.providerTimeout(), observer::provider);
    List<AuthenticationStep> chain = new ArrayList<>();
    for (ProviderEntry entry : entries) {
      ProviderInfo info = info(opening, entry);
      BuiltInType builtIn = BuiltInType.named(entry.type());
      if (!info.enabled()) {
        views.add(ProviderViews.View.of(info));
      } else if (builtIn == null) {
        GuardedAuthentication provider = open(entry, () -> opening.openAuthentication(entry, info));
        chain.add(new AuthenticationStep.Guarded(provider));
        views.add(ProviderViews.View.of(provider));
      } else {
        chain.addAll(builtInSteps(builtIn, entry, info, opening.meter(info)));
        views.add(ProviderViews.View.of(info));
      }
    }
    warnOfUnlisted(entries, Authenticator.class);
    return chain;
  }

  private List<AuthenticationStep> builtInSteps(
      BuiltInType type, ProviderEntry entry, ProviderInfo info, ProviderMeter meter)
      throws SecurityStartException {
    return switch (type) {
      case PASSWORD_FILE -> {
        PasswordAuthenticator passwords =
            passwords(entry.path() + ".file", BuiltInSettings.file(entry, settings.passwordFile()));
        yield List.of(new AuthenticationStep.Passwords(info.displayName(), passwords, info, meter));
      }
      case X509 ->
          List.of(
              new AuthenticationStep.Direct(
                  direct(
                      info.displayName(),
                      new CertificateAuthenticator(BuiltInSettings.userNameSource(entry))),
                  info,
                  meter));
      case PLUGIN -> {
        List<AuthenticationStep> steps = new ArrayList<>();
        for (Provider<Authenticator> plugin : named(entry, Authenticator.class)) {
          steps.add(new AuthenticationStep.Direct(plugin, info, meter));
        }
        yield steps;
      }
      case DATABASE -> {
        UserAuthenticator authenticator = new UserAuthenticator(users, settings, observer);
        opened.add(authenticator);
        yield List.of(
            new AuthenticationStep.Passwords(info.displayName(), authenticator, info, meter));
      }
      case SCRAM -> {
        addScram(BuiltInSettings.scram(entry), info, meter);
        yield List.of();
      }
      case ACL_FILE -> throw new IllegalStateException("an ACL file authenticates nobody");
    };
  }

  private void addScram(ScramPolicy policy, ProviderInfo info, ProviderMeter meter) {
    scram = scram.and(policy);
    for (ScramMechanism mechanism : policy.iterations().keySet()) {
      // The iterations of all entries together, as known users have them.
      ScramAuthenticator authenticator =
          new ScramAuthenticator(mechanism, () -> scram.iterationsOf(mechanism), users, meter);
      methods.add(new AuthenticationMethod(direct(info.displayName(), authenticator), info));
    }
  }

  /** The authentication methods of the list; known once the chain has been created. */
  List<AuthenticationMethod> methods() {
    return methods;
  }

  /** Which SCRAM verifiers the list needs; known once the chain has been created. */
  ScramPolicy scram() {
    return scram;
  }

  /** Returns the sources of access decisions in order. */
  List<AccessSource> sources() throws SecurityStartException {
    List<ProviderEntry> entries = settings.authorizationProviders();
    return entries.isEmpty() ? legacySources() : configuredSources(entries);
  }

  private List<AccessSource> legacySources() throws SecurityStartException {
    List<AccessSource> sources = new ArrayList<>();
    if (!settings.aclFile().isEmpty()) {
      String key = Authorization.ACL_FILE;
      sources.add(new AccessSource.File(key, watch(key, settings.aclFile(), AclFile::read), null));
    }
    for (Provider<Authorizer> plugin : pluginProviders(Authorizer.class)) {
      sources.add(new AccessSource.PluginSource(plugin, null, ProviderMeter.NONE));
    }
    return sources;
  }

  private List<AccessSource> configuredSources(List<ProviderEntry> entries)
      throws SecurityStartException {
    ProviderOpening opening =
        new ProviderOpening(catalog, settings.providerTimeout(), observer::provider);
    List<AccessSource> sources = new ArrayList<>();
    for (ProviderEntry entry : entries) {
      ProviderInfo info = info(opening, entry);
      BuiltInType builtIn = BuiltInType.named(entry.type());
      if (!info.enabled()) {
        views.add(ProviderViews.View.of(info));
      } else if (builtIn == null) {
        AutoCloseable provider = open(entry, () -> opening.openAuthorization(entry, info));
        if (provider instanceof GuardedRules rules) {
          sources.add(new AccessSource.Rules(rules));
          views.add(ProviderViews.View.of(rules));
        } else {
          GuardedActions actions = (GuardedActions) provider;
          sources.add(new AccessSource.Actions(actions));
          views.add(ProviderViews.View.of(actions));
        }
      } else {
        sources.addAll(builtInSources(builtIn, entry, info, opening.meter(info)));
        views.add(ProviderViews.View.of(info));
      }
    }
    if (sources.isEmpty()) {
      throw new SecurityStartException(
          "securityConfig.authorization: every provider is disabled, so clients could do nothing;"
              + " enable one, or remove the list to let clients do everything");
    }
    warnOfUnlisted(entries, Authorizer.class);
    return sources;
  }

  private List<AccessSource> builtInSources(
      BuiltInType type, ProviderEntry entry, ProviderInfo info, ProviderMeter meter)
      throws SecurityStartException {
    if (type == BuiltInType.ACL_FILE) {
      String file = BuiltInSettings.file(entry, settings.aclFile());
      return List.of(
          new AccessSource.File(
              info.displayName(), watch(entry.path() + ".file", file, AclFile::read), info));
    }
    if (type == BuiltInType.DATABASE) {
      return List.of(new AccessSource.Database(users, info));
    }
    List<AccessSource> sources = new ArrayList<>();
    for (Provider<Authorizer> plugin : named(entry, Authorizer.class)) {
      sources.add(new AccessSource.PluginSource(plugin, info, meter));
    }
    return sources;
  }

  /** Returns the extensions of the plugin that an entry names, or of all plugins. */
  private <E extends Extension> List<Provider<E>> named(ProviderEntry entry, Class<E> kind)
      throws SecurityStartException {
    String name = entry.settings().text("plugin", "");
    List<Provider<E>> found =
        pluginProviders(kind).stream()
            .filter(one -> name.isEmpty() || one.name().equals("plugin " + name))
            .toList();
    if (found.isEmpty()) {
      throw new SecurityStartException(
          entry.path()
              + ": no plugin"
              + (name.isEmpty() ? "" : " named " + name)
              + " in "
              + settings.pluginDir()
              + " provides a "
              + kind.getName());
    }
    return found;
  }

  private <E extends Extension> void warnOfUnlisted(List<ProviderEntry> entries, Class<E> kind) {
    List<String> listed =
        entries.stream()
            .filter(entry -> entry.type().equals(BuiltInType.PLUGIN.type()))
            .map(entry -> entry.settings().text("plugin", ""))
            .toList();
    for (Provider<E> plugin : pluginProviders(kind)) {
      if (!listed.contains("") && !listed.contains(plugin.name().replaceFirst("^plugin ", ""))) {
        LOG.warn(
            "Plugin not in use: the provider list does not contain it; add"
                + " '- type: plugin' to securityConfig plugin={} kind={}",
            plugin.name(),
            kind.getSimpleName());
      }
    }
  }

  private static ProviderInfo info(ProviderOpening opening, ProviderEntry entry)
      throws SecurityStartException {
    try {
      return opening.info(entry);
    } catch (IllegalArgumentException e) {
      throw new SecurityStartException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Opens a provider. */
  @FunctionalInterface
  private interface Open<P> {
    P open() throws Exception;
  }

  private <P extends AutoCloseable> P open(ProviderEntry entry, Open<P> open)
      throws SecurityStartException {
    try {
      P provider = open.open();
      opened.add(provider);
      return provider;
    } catch (IllegalArgumentException e) {
      throw new SecurityStartException(String.valueOf(e.getMessage()), e);
    } catch (Exception | LinkageError e) {
      throw new SecurityStartException(entry.path() + ": the provider cannot be opened: " + e, e);
    }
  }

  /** Closes all providers in the reverse order in which they were opened. */
  void close() {
    Collections.reverse(opened);
    for (AutoCloseable provider : opened) {
      try {
        provider.close();
      } catch (Exception | LinkageError e) {
        LOG.warn("Failed to close a provider: {}", e.toString());
      }
    }
    opened.clear();
  }
}
