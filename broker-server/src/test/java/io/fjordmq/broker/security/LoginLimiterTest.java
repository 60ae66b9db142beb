package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
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

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private LoginLimiter limiter(int failures, int addresses) {
    SecuritySettings settings =
        TestSettings.with("maxLoginFailures", failures, "maxLoginAddresses", addresses);
    return new LoginLimiter(settings, () -> now, observer);
  }

  @Test
  void shouldBlockAnAddressWithTooManyFailuresUntilTheWindowExpires() {
    LoginLimiter limiter = limiter(3, 100);
    InetAddress guesser = address("192.0.2.1");
    for (int i = 0; i < 3; i++) {
      assertThat(limiter.isBlocked(guesser)).isFalse();
      limiter.recordFailure(guesser);
    }
    assertThat(limiter.isBlocked(guesser)).isTrue();
    assertThat(limiter.isBlocked(address("192.0.2.2"))).isFalse();
    now = now.plusSeconds(61);
    assertThat(limiter.isBlocked(guesser)).isFalse();
    limiter.recordFailure(guesser);
    assertThat(limiter.isBlocked(guesser)).isFalse();
  }

  @Test
  void shouldTreatAnIpv6NetworkAsOneAddress() {
    LoginLimiter limiter = limiter(2, 100);
    limiter.recordFailure(address("2001:db8:1:2::1"));
    limiter.recordFailure(address("2001:db8:1:2:ffff::7"));
    assertThat(limiter.isBlocked(address("2001:db8:1:2::9"))).isTrue();
    assertThat(limiter.isBlocked(address("2001:db8:1:3::1"))).isFalse();
  }

  @Test
  void shouldForgetTheOldestAddressWhenThereAreTooMany() {
    LoginLimiter limiter = limiter(1, 2);
    for (int i = 1; i <= 3; i++) {
      limiter.recordFailure(address("192.0.2." + i));
    }
    assertThat(limiter.isBlocked(address("192.0.2.1"))).isFalse();
    assertThat(limiter.isBlocked(address("192.0.2.2"))).isTrue();
    assertThat(limiter.isBlocked(address("192.0.2.3"))).isTrue();
    assertThat(trackedAddresses).isEqualTo(2);
  }

  @Test
  void shouldLimitNothingWhenDisabled() {
    LoginLimiter limiter = limiter(0, 2);
    limiter.recordFailure(address("192.0.2.1"));
    assertThat(limiter.isBlocked(address("192.0.2.1"))).isFalse();
    assertThat(limiter.isBlocked(null)).isFalse();
    assertThat(trackedAddresses).isZero();
  }
}
