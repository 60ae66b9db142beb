package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.security.ConnectAdmission.Refusal;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import io.fjordmq.broker.security.SecurityObserver.Attempt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses clients. For each refusal, it increments a counter, records failed logins, notifies
 * listeners, and logs a line: always at DEBUG level, and at a limited rate at INFO level.
 * Thread-safe.
 */
final class ClientRefusals {
  private static final Logger LOG = LoggerFactory.getLogger(ClientRefusals.class);

  private final LoginLimiter limiter;
  private final SecurityObserver observer;
  private final PluginEvents events;
  private final RateLimitedLog rateLimitedLog = new RateLimitedLog();

  ClientRefusals(LoginLimiter limiter, SecurityObserver observer, PluginEvents events) {
    this.limiter = limiter;
    this.observer = observer;
    this.events = events;
  }

  /**
   * Refuses a client whose address, network or user has too many failed logins; returns null if
   * none of them is blocked. Called before a login is evaluated and again before its result is
   * returned, so that parallel guesses do not yield more results than the limit.
   */
  @Nullable Refused refuseIfBlocked(ConnectAttempt attempt) {
    LoginLimiter.Block block = limiter.blockOf(attempt);
    return block == null
        ? null
        : refuse(
            attempt, Refusal.CONNECTION_RATE_EXCEEDED, block.cause(), block.detail(), block.key());
  }

  /** Uses other limits of failed logins. */
  void setLimits(SecuritySettings settings) {
    limiter.setLimits(settings);
  }

  /** Records that a client has proved its identity. */
  void onSuccess(ConnectAttempt attempt, @Nullable String authenticatedUser) {
    limiter.recordSuccess(attempt, authenticatedUser);
  }

  /**
   * Refuses a client.
   *
   * @param by the name of the provider that decided; empty if no provider did
   */
  Refused refuse(
      ConnectAttempt attempt, Refusal refusal, DenialCause denialCause, String detail, String by) {
    return refuse(attempt, refusal, denialCause, detail, by, "");
  }

  /**
   * Refuses a client.
   *
   * @param by the name of the provider that decided; empty if no provider did
   * @param reasonString the text for the client; empty for the name of the reason
   */
  Refused refuse(
      ConnectAttempt attempt,
      Refusal refusal,
      DenialCause denialCause,
      String detail,
      String by,
      String reasonString) {
    if (refusal == Refusal.BAD_USER_NAME_OR_PASSWORD) {
      limiter.recordFailure(attempt);
    }
    observer.onDenied(Attempt.CONNECT, denialCause);
    String decidedBy = by.isEmpty() ? "" : ", decided by " + by;
    LOG.debug("Refused {}: {}: {}{}", attempt, refusal.text(), detail, decidedBy);
    @Nullable String suppressed = rateLimitedLog.permit();
    if (suppressed != null) {
      LOG.info("Refused {}: {}: {}{}{}", attempt, refusal.text(), detail, decidedBy, suppressed);
    }
    events.denied(
        new ClientEventListener.Denial(
            null, attempt.clientId(), attempt.userName(), "connect", by));
    return new Refused(refusal, detail, by, reasonString);
  }
}
