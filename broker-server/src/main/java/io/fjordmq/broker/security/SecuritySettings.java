package io.fjordmq.broker.security;

import java.time.Duration;

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
 * @param cachedTopics maximum number of topics per client whose decisions are cached
 * @param cacheTime lifetime of cached decisions
 * @param pluginDir directory that contains the plugins
 * @param pluginThreads number of threads per plugin
 * @param maxWaitingPluginCalls maximum number of calls per plugin waiting for a thread; further
 *     calls are denied
 * @param maxWaitingEvents maximum number of events waiting for listeners; further events are
 *     dropped
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
    int cachedTopics,
    Duration cacheTime,
    String pluginDir,
    int pluginThreads,
    int maxWaitingPluginCalls,
    int maxWaitingEvents) {

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
          64,
          Duration.ofMinutes(1),
          "plugins",
          2,
          1_024,
          4_096);

  /**
   * @throws IllegalArgumentException if a value is out of range; the message begins with the name
   *     of the setting
   */
  public SecuritySettings {
    requireWithin("reloadInterval (ms)", reloadInterval.toMillis(), 10, 3_600_000);
    requireWithin("providerTimeout (ms)", providerTimeout.toMillis(), 10, 3_600_000);
    requireWithin("passwordThreads", passwordThreads, 0, 1_024);
    requireWithin("maxWaitingPasswords", maxWaitingPasswords, 1, 1_000_000);
    requireWithin("loginCacheSize", loginCacheSize, 0, 10_000_000);
    requireWithin("maxLoginFailures", maxLoginFailures, 0, 1_000_000);
    requireWithin("loginFailureWindow (ms)", loginFailureWindow.toMillis(), 10, 86_400_000);
    requireWithin("maxLoginAddresses", maxLoginAddresses, 1, 10_000_000);
    requireWithin("cachedTopics", cachedTopics, 1, 65_536);
    requireWithin("cacheTime (ms)", cacheTime.toMillis(), 1, 86_400_000);
    requireWithin("pluginThreads", pluginThreads, 1, 1_024);
    requireWithin("maxWaitingPluginCalls", maxWaitingPluginCalls, 1, 1_000_000);
    requireWithin("maxWaitingEvents", maxWaitingEvents, 1, 10_000_000);
  }

  private static void requireWithin(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be between " + min + " and " + max + ", not " + value);
    }
  }
}
