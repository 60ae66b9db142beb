package io.fjordmq.broker.accounts;

import java.time.Duration;

/**
 * Settings of the accounts of the REST API.
 *
 * @param tokenLifetime time after which a token of a login expires
 * @param maxLoginFailures maximum failed logins per user name and address within the window;
 *     further logins are refused until the window has passed. An address may have ten times as many
 *     for all user names together. 0 for no limit
 * @param loginFailureWindow length of the window for maxLoginFailures
 * @param maxTrackedLogins maximum number of addresses, and of user names at addresses, whose
 *     failures are recorded; beyond that, the oldest is evicted
 * @param maxWaitingPasswords maximum number of passwords waiting to be hashed, a quarter of it for
 *     one address; further logins are refused. Should be well below
 *     httpConfig.maxPendingApiRequests
 * @param auditRecords number of audit records that a node keeps in memory
 * @param firstAdministrator the administrator that is created if the cluster has no users
 */
public record AccountSettings(
    Duration tokenLifetime,
    int maxLoginFailures,
    Duration loginFailureWindow,
    int maxTrackedLogins,
    int maxWaitingPasswords,
    int auditRecords,
    FirstAdministratorSettings firstAdministrator) {

  /** The default values. */
  public static final AccountSettings DEFAULTS =
      new AccountSettings(
          Duration.ofHours(1),
          10,
          Duration.ofMinutes(1),
          10_000,
          16,
          10_000,
          FirstAdministratorSettings.NONE);

  /**
   * @throws IllegalArgumentException if a value is out of range; the message begins with the name
   *     of the setting
   */
  public AccountSettings {
    requireWithin("tokenLifetime (ms)", tokenLifetime.toMillis(), 60_000, 2_592_000_000L);
    requireWithin("maxLoginFailures", maxLoginFailures, 0, 1_000_000);
    requireWithin("loginFailureWindow (ms)", loginFailureWindow.toMillis(), 10, 86_400_000);
    requireWithin("maxTrackedLogins", maxTrackedLogins, 1, 1_000_000);
    requireWithin("maxWaitingPasswords", maxWaitingPasswords, 1, 10_000);
    requireWithin("auditRecords", auditRecords, 1, 1_000_000);
  }

  private static void requireWithin(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be between " + min + " and " + max + ", not " + value);
    }
  }
}
