package io.fjordmq.broker.security;

import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.revocation.CrlSettings;
import io.fjordmq.broker.revocation.OcspSettings;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Settings for authentication and authorization.
 *
 * @param allowAnonymous which clients may connect without credentials
 * @param useCommonNameAsUsername whether a client with a certificate is authenticated, without a
 *     password, as the user named by the certificate's common name
 * @param passwordFile file with user names and password hashes; empty for none
 * @param aclFile file with the topics that clients may read and write; empty for none
 * @param reloadInterval interval between checks of both files for changes
 * @param providerTimeout time limit for one provider to decide on one client or action
 * @param passwordThreads number of threads that compute password hashes; 0 for half the number of
 *     processors
 * @param maxWaitingPasswords maximum number of logins waiting for such a thread; further logins are
 *     refused (0x89)
 * @param loginCacheSize maximum number of users whose last correct password is recognized without
 *     computing its hash; 0 for none
 * @param maxLoginFailures number of failed logins from one address within the window after which
 *     the address is blocked, that is, its clients are refused (0x9F) until the window has passed;
 *     0 for no limit
 * @param loginFailureWindow length of the window for maxLoginFailures
 * @param maxLoginAddresses maximum number of addresses whose failures are recorded; beyond that,
 *     the oldest is evicted
 * @param maxNetworkLoginFailures the same as maxLoginFailures for a network: the addresses of an
 *     IPv4 /24 or an IPv6 /48; 0 for no limit
 * @param maxUserLoginFailures number of failed logins with one user name within the window after
 *     which this user is refused (0x9F) at addresses of networks from which it has not logged in
 *     before; 0 for no limit
 * @param crl revocation lists of client certificates
 * @param ocsp requests to OCSP responders about client certificates
 * @param cachedTopics maximum number of topics per client whose decisions are cached
 * @param cacheTime lifetime of cached decisions
 * @param pluginDir directory that contains the plugins
 * @param pluginThreads number of threads per plugin
 * @param maxWaitingPluginCalls maximum number of calls per plugin waiting for a thread; further
 *     calls are denied
 * @param maxWaitingEvents maximum number of events waiting for listeners; further events are
 *     dropped
 * @param authentication the authentication providers, by their position in the list; empty to use
 *     the files and plugins above
 * @param authorization the same for authorization
 */
public record SecuritySettings(
    Anonymous allowAnonymous,
    boolean useCommonNameAsUsername,
    String passwordFile,
    String aclFile,
    Duration reloadInterval,
    Duration providerTimeout,
    int passwordThreads,
    int maxWaitingPasswords,
    int loginCacheSize,
    int maxLoginFailures,
    Duration loginFailureWindow,
    int maxLoginAddresses,
    int maxNetworkLoginFailures,
    int maxUserLoginFailures,
    CrlSettings crl,
    OcspSettings ocsp,
    int cachedTopics,
    Duration cacheTime,
    String pluginDir,
    int pluginThreads,
    int maxWaitingPluginCalls,
    int maxWaitingEvents,
    SortedMap<Integer, ProviderEntry> authentication,
    SortedMap<Integer, ProviderEntry> authorization) {

  /** Which clients may connect without credentials. */
  public enum Anonymous {
    /** Only local clients, and only while no authentication is configured. */
    AUTO,
    TRUE,
    FALSE,
    /** Only local clients, that is, clients with loopback addresses or on Unix sockets. */
    LOOPBACK
  }

  /** The default values. */
  public static final SecuritySettings DEFAULTS =
      new SecuritySettings(
          Anonymous.AUTO,
          false,
          "",
          "",
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          0,
          1_000,
          10_000,
          10,
          Duration.ofMinutes(1),
          65_536,
          100,
          100,
          CrlSettings.DEFAULTS,
          OcspSettings.DEFAULTS,
          64,
          Duration.ofMinutes(1),
          "plugins",
          2,
          1_024,
          4_096,
          Collections.emptySortedMap(),
          Collections.emptySortedMap());

  /**
   * @throws IllegalArgumentException if a value is out of range; the message begins with the name
   *     of the setting
   */
  public SecuritySettings {
    authentication = Collections.unmodifiableSortedMap(new TreeMap<>(authentication));
    authorization = Collections.unmodifiableSortedMap(new TreeMap<>(authorization));
    requireWithin("reloadInterval (ms)", reloadInterval.toMillis(), 10, 3_600_000);
    requireWithin("providerTimeout (ms)", providerTimeout.toMillis(), 10, 3_600_000);
    requireWithin("passwordThreads", passwordThreads, 0, 1_024);
    requireWithin("maxWaitingPasswords", maxWaitingPasswords, 1, 1_000_000);
    requireWithin("loginCacheSize", loginCacheSize, 0, 10_000_000);
    requireWithin("maxLoginFailures", maxLoginFailures, 0, 1_000_000);
    requireWithin("loginFailureWindow (ms)", loginFailureWindow.toMillis(), 10, 86_400_000);
    requireWithin("maxLoginAddresses", maxLoginAddresses, 1, 10_000_000);
    requireWithin("maxNetworkLoginFailures", maxNetworkLoginFailures, 0, 1_000_000);
    requireWithin("maxUserLoginFailures", maxUserLoginFailures, 0, 1_000_000);
    requireWithin("cachedTopics", cachedTopics, 1, 65_536);
    requireWithin("cacheTime (ms)", cacheTime.toMillis(), 1, 86_400_000);
    requireWithin("pluginThreads", pluginThreads, 1, 1_024);
    requireWithin("maxWaitingPluginCalls", maxWaitingPluginCalls, 1, 1_000_000);
    requireWithin("maxWaitingEvents", maxWaitingEvents, 1, 10_000_000);
  }

  /** Returns a copy with these providers. */
  public SecuritySettings withProviders(
      SortedMap<Integer, ProviderEntry> authenticationProviders,
      SortedMap<Integer, ProviderEntry> authorizationProviders) {
    return new SecuritySettings(
        allowAnonymous,
        useCommonNameAsUsername,
        passwordFile,
        aclFile,
        reloadInterval,
        providerTimeout,
        passwordThreads,
        maxWaitingPasswords,
        loginCacheSize,
        maxLoginFailures,
        loginFailureWindow,
        maxLoginAddresses,
        maxNetworkLoginFailures,
        maxUserLoginFailures,
        crl,
        ocsp,
        cachedTopics,
        cacheTime,
        pluginDir,
        pluginThreads,
        maxWaitingPluginCalls,
        maxWaitingEvents,
        authenticationProviders,
        authorizationProviders);
  }

  /** The authentication providers in order; empty to use the files and plugins. */
  List<ProviderEntry> authenticationProviders() {
    return List.copyOf(authentication.values());
  }

  /** The authorization providers in order; empty to use the files and plugins. */
  List<ProviderEntry> authorizationProviders() {
    return List.copyOf(authorization.values());
  }

  private static void requireWithin(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be between " + min + " and " + max + ", not " + value);
    }
  }
}
