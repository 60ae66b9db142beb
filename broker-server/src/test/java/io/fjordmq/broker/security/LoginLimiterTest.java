package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.security.LoginLimiter.Block;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LoginLimiterTest {
  private Instant now = Instant.EPOCH;
  private int trackedAddresses;
  private final SecurityObserver observer =
      new SecurityObserver() {
        @Override
        public void addTrackedAddresses(int delta) {
          trackedAddresses += delta;
        }
      };

  /** A login of a user at an address; null for a Unix domain socket. */
  private static ConnectAttempt login(@Nullable String address, @Nullable String user) {
    try {
      return new ConnectAttempt(
          "tcpListener",
          address == null ? null : InetAddress.getByName(address),
          false,
          null,
          5,
          "c",
          user,
          new byte[] {1});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static ConnectAttempt login(String address) {
    return login(address, null);
  }

  private LoginLimiter limiter(int addressFailures, int networkFailures, int userFailures) {
    return limiter(addressFailures, networkFailures, userFailures, 100);
  }

  private LoginLimiter limiter(
      int addressFailures, int networkFailures, int userFailures, int tracked) {
    return new LoginLimiter(
        settings(addressFailures, networkFailures, userFailures, tracked), () -> now, observer);
  }

  private static SecuritySettings settings(
      int addressFailures, int networkFailures, int userFailures, int tracked) {
    return TestSettings.with(
        "maxLoginFailures",
        addressFailures,
        "maxNetworkLoginFailures",
        networkFailures,
        "maxUserLoginFailures",
        userFailures,
        "maxLoginAddresses",
        tracked);
  }

  @Test
  void shouldBlockAnAddressWithTooManyFailuresUntilTheWindowExpires() {
    LoginLimiter limiter = limiter(3, 0, 0);
    ConnectAttempt guess = login("192.0.2.1");
    for (int i = 0; i < 3; i++) {
      assertThat(limiter.blockOf(guess)).isNull();
      limiter.recordFailure(guess);
    }
    assertThat(limiter.blockOf(guess)).isEqualTo(Block.ADDRESS);
    assertThat(limiter.blockOf(login("192.0.2.2"))).isNull();
    now = now.plusSeconds(61);
    assertThat(limiter.blockOf(guess)).isNull();
    limiter.recordFailure(guess);
    assertThat(limiter.blockOf(guess)).isNull();
  }

  @Test
  void shouldTreatAnIpv6NetworkAsOneAddress() {
    LoginLimiter limiter = limiter(2, 0, 0);
    limiter.recordFailure(login("2001:db8:1:2::1"));
    limiter.recordFailure(login("2001:db8:1:2:ffff::7"));
    assertThat(limiter.blockOf(login("2001:db8:1:2::9"))).isEqualTo(Block.ADDRESS);
    assertThat(limiter.blockOf(login("2001:db8:1:3::1"))).isNull();
  }

  @Test
  void shouldBlockANetworkWhoseAddressesFailTogether() {
    LoginLimiter limiter = limiter(10, 50, 0);
    for (int i = 1; i <= 50; i++) {
      assertThat(limiter.blockOf(login("198.51.100." + i))).isNull();
      limiter.recordFailure(login("198.51.100." + i));
      limiter.recordFailure(login("2001:db8:1:" + i + "::1"));
    }
    assertThat(limiter.blockOf(login("198.51.100.200"))).isEqualTo(Block.NETWORK);
    assertThat(limiter.blockOf(login("198.51.101.1"))).isNull();
    assertThat(limiter.blockOf(login("2001:db8:1:ff::1"))).isEqualTo(Block.NETWORK);
    assertThat(limiter.blockOf(login("2001:db8:2:1::1"))).isNull();
    now = now.plusSeconds(61);
    assertThat(limiter.blockOf(login("198.51.100.200"))).isNull();
  }

  @Test
  void shouldBlockAUserOnlyWhereItHasNotLoggedInBefore() {
    LoginLimiter limiter = limiter(10, 50, 20);
    limiter.recordSuccess(login("192.0.2.10", "alice"), "alice");
    // One guess from each of many networks.
    for (int i = 1; i <= 20; i++) {
      ConnectAttempt guess = login("10.0." + i + ".1", "alice");
      assertThat(limiter.blockOf(guess)).isNull();
      limiter.recordFailure(guess);
    }
    assertThat(limiter.blockOf(login("10.1.1.1", "alice"))).isEqualTo(Block.USER);
    assertThat(limiter.blockOf(login("192.0.2.99", "alice"))).as("its network").isNull();
    assertThat(limiter.blockOf(login("10.1.1.1", "bob"))).isNull();
    assertThat(limiter.blockOf(login("10.1.1.1"))).isNull();
    now = now.plusSeconds(61);
    assertThat(limiter.blockOf(login("10.1.1.1", "alice"))).isNull();
  }

  @Test
  void shouldNotBlockUsersInTheirNetworkBecauseOfNeighbors() {
    LoginLimiter limiter = limiter(10, 50, 0);
    limiter.recordSuccess(login("198.51.100.1", "alice"), "alice");
    for (int i = 2; i <= 51; i++) {
      limiter.recordFailure(login("198.51.100." + i, "guess" + i));
    }
    assertThat(limiter.blockOf(login("198.51.100.200", "bob"))).isEqualTo(Block.NETWORK);
    assertThat(limiter.blockOf(login("198.51.100.200"))).isEqualTo(Block.NETWORK);
    assertThat(limiter.blockOf(login("198.51.100.200", "alice"))).isNull();
    for (int i = 0; i < 10; i++) {
      limiter.recordFailure(login("198.51.100.200", "alice"));
    }
    assertThat(limiter.blockOf(login("198.51.100.200", "alice"))).isEqualTo(Block.ADDRESS);
  }

  @Test
  void shouldRememberOnlyNetworksOfVerifiedUsers() {
    LoginLimiter limiter = limiter(10, 50, 1);
    // For example a client whose certificate belongs to another user.
    limiter.recordSuccess(login("192.0.2.10", "alice"), "mallory");
    limiter.recordSuccess(login("192.0.2.10", "alice"), null);
    limiter.recordFailure(login("10.0.0.1", "alice"));
    assertThat(limiter.blockOf(login("192.0.2.10", "alice"))).isEqualTo(Block.USER);
  }

  @Test
  void shouldForgetTheOldestAddressWhenThereAreTooMany() {
    LoginLimiter limiter = limiter(1, 0, 0, 2);
    for (int i = 1; i <= 3; i++) {
      limiter.recordFailure(login("192.0.2." + i));
    }
    assertThat(limiter.blockOf(login("192.0.2.1"))).isNull();
    assertThat(limiter.blockOf(login("192.0.2.2"))).isEqualTo(Block.ADDRESS);
    assertThat(limiter.blockOf(login("192.0.2.3"))).isEqualTo(Block.ADDRESS);
    assertThat(trackedAddresses).isEqualTo(2);
  }

  @Test
  void shouldForgetTheLeastRecentlyUsedNetworkOfAUser() {
    LoginLimiter limiter = limiter(0, 0, 1, 2);
    for (int i = 1; i <= 3; i++) {
      limiter.recordSuccess(login("192.0." + i + ".1", "alice"), "alice");
    }
    limiter.recordFailure(login("10.0.0.1", "alice"));
    assertThat(limiter.blockOf(login("192.0.1.1", "alice"))).isEqualTo(Block.USER);
    assertThat(limiter.blockOf(login("192.0.3.1", "alice"))).isNull();
  }

  @Test
  void shouldLimitNothingWhenDisabled() {
    LoginLimiter limiter = limiter(0, 0, 0);
    limiter.recordFailure(login("192.0.2.1", "alice"));
    assertThat(limiter.blockOf(login("192.0.2.1", "alice"))).isNull();
    assertThat(trackedAddresses).isZero();
  }

  @Test
  void shouldUseChangedLimits() {
    LoginLimiter limiter = limiter(1, 0, 0);
    ConnectAttempt guess = login("192.0.2.1", "alice");
    limiter.recordFailure(guess);
    limiter.setLimits(settings(1, 0, 0, 100)); // unchanged
    assertThat(limiter.blockOf(guess)).isEqualTo(Block.ADDRESS);
    limiter.setLimits(settings(2, 0, 1, 100));
    assertThat(limiter.blockOf(guess)).isNull();
    assertThat(trackedAddresses).isZero();
    limiter.recordFailure(guess);
    assertThat(limiter.blockOf(guess)).isEqualTo(Block.USER);
    limiter.recordFailure(guess);
    assertThat(limiter.blockOf(guess)).isEqualTo(Block.ADDRESS);
  }

  @Test
  void shouldNotLimitUnixDomainSockets() {
    LoginLimiter limiter = limiter(1, 1, 1);
    limiter.recordFailure(login(null, "alice"));
    assertThat(limiter.blockOf(login(null, "alice"))).isNull();
  }
}
