package io.fjordmq.broker.security;

import java.net.InetAddress;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Counts failed logins of clients per address. Thread-safe. */
final class LoginLimiter {
  private final LoginFailures failures;
  private final SecurityObserver observer;

  LoginLimiter(SecuritySettings settings, InstantSource clock, SecurityObserver observer) {
    this.failures =
        new LoginFailures(
            settings.maxLoginFailures(),
            settings.loginFailureWindow(),
            settings.maxLoginAddresses(),
            clock);
    this.observer = observer;
  }

  /** Whether the address is blocked because of too many failed logins. */
  boolean isBlocked(@Nullable InetAddress address) {
    return address != null && failures.isBlocked(LoginFailures.keyOf(address));
  }

  /** Records a failed login. */
  void recordFailure(@Nullable InetAddress address) {
    if (address != null) {
      observer.addTrackedAddresses(failures.record(LoginFailures.keyOf(address)));
    }
  }
}
