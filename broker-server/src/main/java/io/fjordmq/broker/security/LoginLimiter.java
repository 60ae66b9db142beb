package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ConnectAttempt;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts failed logins of clients per address, per network and per user name, and blocks those with
 * too many. In networks from which a user has logged in before, only its address can be blocked:
 * neither someone who guesses the user's password elsewhere nor a neighbor who guesses any
 * passwords can then lock the user out where it usually is. Thread-safe.
 */
final class LoginLimiter {
  /** Names come from clients and can be long, so they are replaced by hashes. */
  private static final String HASH = "SHA-256";

  /** Why a login is refused before its credentials are checked. */
  enum Block {
    ADDRESS(
        DenialCause.TOO_MANY_FAILURES,
        "too many failed logins from the client's address",
        "securityConfig.maxLoginFailures"),
    NETWORK(
        DenialCause.TOO_MANY_NETWORK_FAILURES,
        "too many failed logins from the client's network",
        "securityConfig.maxNetworkLoginFailures"),
    USER(
        DenialCause.TOO_MANY_USER_FAILURES,
        "too many failed logins of the user, and no previous login from this network",
        "securityConfig.maxUserLoginFailures");

    private final DenialCause cause;
    private final String detail;
    private final String key;

    Block(DenialCause cause, String detail, String key) {
      this.cause = cause;
      this.detail = detail;
      this.key = key;
    }

    DenialCause cause() {
      return cause;
    }

    /** The reason, for operators. */
    String detail() {
      return detail;
    }

    /** The configuration key of the limit. */
    String key() {
      return key;
    }
  }

  /** The limits in effect, and the failures that they count. */
  private record FailureCounts(
      int maxOfAddress,
      int maxOfNetwork,
      int maxOfUser,
      Duration window,
      LoginFailures addresses,
      LoginFailures networks,
      LoginFailures users) {

    static FailureCounts of(SecuritySettings settings, InstantSource clock) {
      return new FailureCounts(
          settings.maxLoginFailures(),
          settings.maxNetworkLoginFailures(),
          settings.maxUserLoginFailures(),
          settings.loginFailureWindow(),
          failures(settings.maxLoginFailures(), settings, clock),
          failures(settings.maxNetworkLoginFailures(), settings, clock),
          failures(settings.maxUserLoginFailures(), settings, clock));
    }

    private static LoginFailures failures(int max, SecuritySettings settings, InstantSource clock) {
      return new LoginFailures(
          max, settings.loginFailureWindow(), settings.maxLoginAddresses(), clock);
    }

    boolean hasLimitsOf(SecuritySettings settings) {
      return maxOfAddress == settings.maxLoginFailures()
          && maxOfNetwork == settings.maxNetworkLoginFailures()
          && maxOfUser == settings.maxUserLoginFailures()
          && window.equals(settings.loginFailureWindow());
    }
  }

  private final InstantSource clock;
  private volatile FailureCounts counts;
  private final Set<String> knownNetworks;
  private final SecurityObserver observer;

  LoginLimiter(SecuritySettings settings, InstantSource clock, SecurityObserver observer) {
    this.clock = clock;
    this.counts = FailureCounts.of(settings, clock);
    this.knownNetworks = leastRecentlyUsed(settings.maxLoginAddresses());
    this.observer = observer;
  }

  /** Uses other limits. If they have changed, failures are counted from the beginning. */
  void setLimits(SecuritySettings settings) {
    FailureCounts before = counts;
    if (!before.hasLimitsOf(settings)) {
      counts = FailureCounts.of(settings, clock);
      observer.addTrackedAddresses(-before.addresses.size());
    }
  }

  private static Set<String> leastRecentlyUsed(int max) {
    return Collections.synchronizedSet(
        Collections.newSetFromMap(
            new LinkedHashMap<>(16, 0.75f, true) {
              @Override
              protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                return size() > max;
              }
            }));
  }

  /** Returns why the login must be refused; null if it may be evaluated. */
  @Nullable Block blockOf(ConnectAttempt attempt) {
    InetAddress address = attempt.address();
    if (address == null) {
      return null;
    }
    FailureCounts current = counts;
    if (current.addresses.isBlocked(LoginFailures.keyOf(address))) {
      return Block.ADDRESS;
    }
    String network = LoginFailures.networkOf(address);
    boolean networkBlocked = current.networks.isBlocked(network);
    String user = attempt.userName();
    if (user == null) {
      return networkBlocked ? Block.NETWORK : null;
    }
    if (!networkBlocked && current.users.size() == 0) {
      return null;
    }
    String hash = hashOf(user);
    if (knownNetworks.contains(hash + network)) {
      return null;
    }
    return networkBlocked ? Block.NETWORK : current.users.isBlocked(hash) ? Block.USER : null;
  }

  /** Records a failed login. */
  void recordFailure(ConnectAttempt attempt) {
    InetAddress address = attempt.address();
    if (address == null) {
      return;
    }
    FailureCounts current = counts;
    observer.addTrackedAddresses(current.addresses.record(LoginFailures.keyOf(address)));
    current.networks.record(LoginFailures.networkOf(address));
    String user = attempt.userName();
    if (user != null && current.maxOfUser > 0) {
      current.users.record(hashOf(user));
    }
  }

  /**
   * Records a successful login.
   *
   * @param authenticated the user name that was verified; null if there is none
   */
  void recordSuccess(ConnectAttempt attempt, @Nullable String authenticated) {
    InetAddress address = attempt.address();
    String user = attempt.userName();
    FailureCounts current = counts;
    boolean limited = current.maxOfUser > 0 || current.maxOfNetwork > 0;
    if (limited && address != null && user != null && user.equals(authenticated)) {
      knownNetworks.add(hashOf(user) + LoginFailures.networkOf(address));
    }
  }

  private static String hashOf(String user) {
    try {
      byte[] hash = MessageDigest.getInstance(HASH).digest(user.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK must provide " + HASH, e);
    }
  }
}
