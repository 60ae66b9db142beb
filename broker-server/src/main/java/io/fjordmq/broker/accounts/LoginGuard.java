package io.fjordmq.broker.accounts;

import io.fjordmq.broker.security.LoginFailures;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.regex.Pattern;

/** Blocks addresses and user names after too many failed logins. Thread-safe. */
final class LoginGuard {
  /** Only texts that {@link InetAddress#getByName} parses without asking a name server. */
  private static final Pattern LITERAL =
      Pattern.compile(
          "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\\.(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])){3}"
              + "|[0-9a-fA-F]*:.*");

  private static final int MAX_TEXT = 128;

  private final LoginFailures addresses;
  private final LoginFailures names;

  LoginGuard(AccountSettings settings) {
    this(settings, () -> Instant.ofEpochMilli(System.nanoTime() / 1_000_000));
  }

  /**
   * @param clock must never go backwards
   */
  LoginGuard(AccountSettings settings, InstantSource clock) {
    addresses = failures(settings, clock);
    names = failures(settings, clock);
  }

  private static LoginFailures failures(AccountSettings settings, InstantSource clock) {
    return new LoginFailures(
        settings.maxLoginFailures(),
        settings.loginFailureWindow(),
        settings.maxTrackedLogins(),
        clock);
  }

  boolean isBlocked(String name, String address) {
    return addresses.isBlocked(addressKey(address)) || names.isBlocked(bounded(name));
  }

  void recordFailure(String name, String address) {
    addresses.record(addressKey(address));
    names.record(bounded(name));
  }

  private static String addressKey(String address) {
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
