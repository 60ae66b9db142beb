package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import io.fjordmq.broker.security.SecurityObserver.Attempt;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses clients: counts it, remembers failed logins of an address, tells listeners, and logs it,
 * all at debug and now and then at info. Thread-safe.
 */
final class ClientRefusals {
  private static final Logger LOG = LoggerFactory.getLogger(ClientRefusals.class);

  private final LoginLimiter limiter;
  private final SecurityObserver observer;
  private final PluginEvents events;
  private final RateLimitedLog sparse = new RateLimitedLog();

  ClientRefusals(LoginLimiter limiter, SecurityObserver observer, PluginEvents events) {
    this.limiter = limiter;
    this.observer = observer;
    this.events = events;
  }

  /**
   * Refuses a client from whose address too many logins have failed; null if there were few. Asked
   * before a login is looked at, and again before it is answered: of many guesses that were sent
   * together only so many are told how they fared.
   */
  @Nullable Refused shutOut(ConnectAttempt attempt) {
    InetAddress address = attempt.address();
    return limiter.isShut(address)
        ? refuse(
            attempt,
            Refusal.CONNECTION_RATE_EXCEEDED,
            DenialCause.TOO_MANY_FAILURES,
            "too many logins from its address have failed",
            "securityConfig.maxLoginFailures")
        : null;
  }

  /**
   * Refuses a client.
   *
   * @param by who decided; empty if nobody did
   */
  Refused refuse(
      ConnectAttempt attempt, Refusal refusal, DenialCause denialCause, String detail, String by) {
    if (refusal == Refusal.BAD_USER_NAME_OR_PASSWORD) {
      limiter.failed(attempt.address());
    }
    observer.denied(Attempt.CONNECT, denialCause);
    String decidedBy = by.isEmpty() ? "" : ", says " + by;
    LOG.debug("{} is refused: {}: {}{}", attempt, refusal.words(), detail, decidedBy);
    @Nullable String others = sparse.permit();
    if (others != null) {
      LOG.info("Refused {}: {}: {}{}{}", attempt, refusal.words(), detail, decidedBy, others);
    }
    events.denied(
        new ClientEventListener.Denial(
            null, attempt.clientId(), attempt.userName(), "connect", by));
    return new Refused(refusal, detail);
  }
}
