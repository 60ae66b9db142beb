package io.fjordmq.broker.accounts;

import io.fjordmq.broker.security.LoginFailures;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.regex.Pattern;

/**
 * Blocks logins after too many failures. Failures count for the user name together with the
 * address, so that nobody can lock out a user who logs in from another address. An address that
 * guesses passwords of many users is blocked for all of them. Thread-safe.
 */
final class LoginGuard {
  /** Ratio of the limit for an address to the limit for one user name at an address. */
  private static final int USERS_PER_ADDRESS = 10;

  /** Only strings that {@link InetAddress#getByName} parses without asking a name server. */
  private static final Pattern LITERAL =
      Pattern.compile(
          "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\\.(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){3}"
              + "|[0-9a-fA-F]*:.*");

  private static final int MAX_TEXT = 128;

  private final LoginFailures addresses;
  private final LoginFailures usersAtAddresses;

  LoginGuard(AccountSettings settings) {
    this(settings, () -> Instant.ofEpochMilli(System.nanoTime() / 1_000_000));
  }

  /**
   * @param clock must never go backwards
   */
  LoginGuard(AccountSettings settings, InstantSource clock) {
    addresses = failures(USERS_PER_ADDRESS * settings.maxLoginFailures(), settings, clock);
    usersAtAddresses = failures(settings.maxLoginFailures(), settings, clock);
  }

  private static LoginFailures failures(
      int maxFailures, AccountSettings settings, InstantSource clock) {
    return new LoginFailures(
        maxFailures, settings.loginFailureWindow(), settings.maxTrackedLogins(), clock);
  }

  boolean isBlocked(String name, String address) {
    String key = addressKey(address);
    return addresses.isBlocked(key) || usersAtAddresses.isBlocked(userAt(name, key));
  }

  void recordFailure(String name, String address) {
    String key = addressKey(address);
    addresses.record(key);
    usersAtAddresses.record(userAt(name, key));
  }

  private static String userAt(String name, String addressKey) {
    return addressKey + "\n" + bounded(name);
  }

  /** Returns the key under which an address counts. IPv6 addresses of a network share one. */
  static String addressKey(String address) {
    if (address.length() <= MAX_TEXT && LITERAL.matcher(address).matches()) {
      try {
        return LoginFailures.keyOf(InetAddress.getByName(address));
      } catch (UnknownHostException e) {
        return bounded(address);
      }
    }
    return bounded(address);
  }

  private static String bounded(String text) {
    return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }
}
