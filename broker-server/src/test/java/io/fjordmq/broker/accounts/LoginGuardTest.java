package io.fjordmq.broker.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoginGuardTest {
  private Instant now = Instant.EPOCH;

  private LoginGuard guard(int failures, int tracked) {
    return new LoginGuard(
        TestAccounts.settings()
            .with(AccountSettings::maxLoginFailures, failures)
            .with(AccountSettings::maxTrackedLogins, tracked)
            .build(),
        () -> now);
  }

  @Test
  void shouldBlockAddressesAndNamesUntilTheWindowHasPassed() {
    LoginGuard guard = guard(2, 100);
    guard.recordFailure("ann", "192.0.2.1");
    assertThat(guard.isBlocked("ann", "192.0.2.1")).isFalse();
    guard.recordFailure("ann", "192.0.2.2");
    assertThat(guard.isBlocked("ann", "192.0.2.3")).isTrue();
    assertThat(guard.isBlocked("bob", "192.0.2.1")).isFalse();
    guard.recordFailure("bob", "192.0.2.1");
    assertThat(guard.isBlocked("cid", "192.0.2.1")).isTrue();
    assertThat(guard.isBlocked("cid", "192.0.2.2")).isFalse();
    now = now.plus(Duration.ofMinutes(1));
    assertThat(guard.isBlocked("ann", "192.0.2.1")).isFalse();
  }

  @Test
  void shouldTrackABoundedNumberOfNamesAndAddresses() {
    LoginGuard guard = guard(1, 2);
    for (int i = 1; i <= 3; i++) {
      guard.recordFailure("user" + i, "192.0.2." + i);
    }
    assertThat(guard.isBlocked("user1", "192.0.2.1")).isFalse();
    assertThat(guard.isBlocked("x", "192.0.2.2")).isTrue();
    assertThat(guard.isBlocked("user3", "x")).isTrue();
  }

  @Test
  void shouldTakeTextsThatAreNoAddressesAsTheyAre() {
    LoginGuard guard = guard(1, 100);
    for (String text :
        List.of("", "unknown", "999.0.0.1", "1.2.3", ":::::", "fe80::1%x y", "a".repeat(1 << 20))) {
      guard.recordFailure("user " + text, text);
      assertThat(guard.isBlocked("x", text)).isTrue();
    }
    assertThat(guard.isBlocked("x", "192.0.2.1")).isFalse();
  }

  @Test
  void shouldBlockNothingIfThereIsNoLimit() {
    LoginGuard guard = guard(0, 1);
    guard.recordFailure("ann", "192.0.2.1");
    assertThat(guard.isBlocked("ann", "192.0.2.1")).isFalse();
  }
}
