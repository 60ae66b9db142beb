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
  void shouldBlockAUserOnlyAtTheAddressThatGuesses() {
    LoginGuard guard = guard(2, 100);
    guard.recordFailure("ann", "192.0.2.1");
    assertThat(guard.isBlocked("ann", "192.0.2.1")).isFalse();
    guard.recordFailure("ann", "192.0.2.1");
    assertThat(guard.isBlocked("ann", "192.0.2.1")).isTrue();
    assertThat(guard.isBlocked("ann", "192.0.2.2")).as("another address").isFalse();
    assertThat(guard.isBlocked("bob", "192.0.2.1")).as("another user").isFalse();
    now = now.plus(Duration.ofMinutes(1));
    assertThat(guard.isBlocked("ann", "192.0.2.1")).isFalse();
  }

  @Test
  void shouldNotLetManyAddressesLockOutAUser() {
    LoginGuard guard = guard(2, 1_000);
    for (int i = 0; i < 500; i++) {
      guard.recordFailure("ann", "198.51.100." + i % 250);
    }
    assertThat(guard.isBlocked("ann", "198.51.100.7")).isTrue();
    assertThat(guard.isBlocked("ann", "192.0.2.1")).isFalse();
  }

  @Test
  void shouldBlockAnAddressThatGuessesPasswordsOfManyUsers() {
    LoginGuard guard = guard(2, 100);
    for (int i = 0; i < 20; i++) {
      assertThat(guard.isBlocked("x", "2001:db8:1:2::" + i)).isFalse();
      guard.recordFailure("user" + i, "2001:db8:1:2::" + i);
    }
    assertThat(guard.isBlocked("x", "2001:db8:1:2:3::")).as("the same network").isTrue();
    assertThat(guard.isBlocked("x", "2001:db8:1:3::1")).isFalse();
  }

  @Test
  void shouldTrackABoundedNumberOfUsersAndAddresses() {
    LoginGuard guard = guard(1, 2);
    for (int i = 1; i <= 3; i++) {
      guard.recordFailure("user" + i, "192.0.2." + i);
    }
    assertThat(guard.isBlocked("user1", "192.0.2.1")).isFalse();
    assertThat(guard.isBlocked("user2", "192.0.2.2")).isTrue();
    assertThat(guard.isBlocked("user3", "192.0.2.3")).isTrue();
  }

  @Test
  void shouldTakeTextsThatAreNoAddressesAsTheyAre() {
    LoginGuard guard = guard(1, 100);
    for (String text :
        List.of("", "unknown", "999.0.0.1", "1.2.3", ":::::", "fe80::1%x y", "a".repeat(1 << 20))) {
      guard.recordFailure("x", text);
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
