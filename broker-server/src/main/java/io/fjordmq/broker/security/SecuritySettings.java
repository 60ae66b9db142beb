package io.fjordmq.broker.security;

import java.time.Duration;

/**
 * Settings of authentication and authorization.
 *
 * @param allowAnonymous which clients may connect without credentials
 * @param useCommonNameAsUsername authenticate a client with a certificate as the user in its common
 *     name, without a password
 * @param passwordFile user names and password hashes; empty for none
 * @param aclFile topics that clients may read and write; empty for none
 * @param reloadInterval interval between checks of both files for changes
 * @param providerTimeout time for one provider to decide about one client or action
 * @param passwordThreads threads that compute password hashes; 0 for half as many as processors
 * @param maxWaitingPasswords logins that wait for such a thread; more are refused (0x89)
 * @param loginCacheSize users whose last correct password is recognized without computing its hash;
 *     0 for none
 * @param maxLoginFailures failed logins of one address within the window after which it is refused
 *     (0x9F) until the window has passed; 0 for no limit
 * @param loginFailureWindow that window
 * @param maxLoginAddresses addresses whose failures are recorded; above it, the oldest is forgotten
 * @param cachedTopics topics per client whose decisions are cached
 * @param cacheTime lifetime of cached decisions
 * @param pluginDir directory of plugins
 * @param pluginThreads threads per plugin
 * @param maxWaitingPluginCalls calls per plugin that wait for a thread; more are denied
 * @param maxWaitingEvents events that wait for listeners; more are dropped
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
    /** Local clients, as long as no authentication is configured; otherwise none. */
    AUTO,
    TRUE,
    FALSE,
    /** Local clients: loopback addresses and Unix sockets. */
    LOOPBACK
  }

  /** The defaults of the configuration file. */
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
   * @throws IllegalArgumentException if a value is out of range; the message names it
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
