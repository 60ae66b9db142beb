package io.fjordmq.broker.security;

import java.time.Duration;

/**
 * Who may connect and do what.
 *
 * @param allowAnonymous which clients may connect without credentials
 * @param useCommonNameAsUsername a client with a certificate is who the certificate's common name
 *     says, without a password
 * @param passwordFile user names and hashes of their passwords; empty for none
 * @param aclFile who may read and write which topics; empty for none
 * @param reloadInterval how often both are looked at for changes
 * @param providerTimeout how long one provider may think about one client or action
 * @param passwordThreads that compute password hashes; 0 for half as many as processors
 * @param maxWaitingPasswords logins that wait for one of them; more are refused (0x89)
 * @param rememberedLogins users whose last good password is recognised without computing its hash;
 *     0 for none
 * @param maxLoginFailures of one address within the window, after which it is refused (0x9F) until
 *     the window has passed; 0 for no limit
 * @param loginFailureWindow that window
 * @param maxLoginAddresses addresses whose failures are remembered; the oldest is forgotten
 * @param cachedTopics of one client whose decisions are remembered
 * @param cacheTime how long they are
 * @param pluginDir folder of plugins
 * @param pluginThreads of each plugin
 * @param maxWaitingPluginCalls of each plugin, waiting for a thread; more are denied
 * @param maxWaitingEvents events waiting for listeners; more are dropped
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
    int rememberedLogins,
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
    /** Those on this machine as long as nothing else says who may connect; else none. */
    AUTO,
    TRUE,
    FALSE,
    /** Those on this machine: loopback addresses and Unix sockets. */
    LOOPBACK
  }

  /** What stands in the configuration file when it says nothing else. */
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
   * @throws IllegalArgumentException if a value is out of its range; the message names it
   */
  public SecuritySettings {
    within("reloadInterval (ms)", reloadInterval.toMillis(), 10, 3_600_000);
    within("providerTimeout (ms)", providerTimeout.toMillis(), 10, 3_600_000);
    within("passwordThreads", passwordThreads, 0, 1_024);
    within("maxWaitingPasswords", maxWaitingPasswords, 1, 1_000_000);
    within("rememberedLogins", rememberedLogins, 0, 10_000_000);
    within("maxLoginFailures", maxLoginFailures, 0, 1_000_000);
    within("loginFailureWindow (ms)", loginFailureWindow.toMillis(), 10, 86_400_000);
    within("maxLoginAddresses", maxLoginAddresses, 1, 10_000_000);
    within("cachedTopics", cachedTopics, 1, 65_536);
    within("cacheTime (ms)", cacheTime.toMillis(), 1, 86_400_000);
    within("pluginThreads", pluginThreads, 1, 1_024);
    within("maxWaitingPluginCalls", maxWaitingPluginCalls, 1, 1_000_000);
    within("maxWaitingEvents", maxWaitingEvents, 1, 10_000_000);
  }

  private static void within(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", not " + value);
    }
  }
}
