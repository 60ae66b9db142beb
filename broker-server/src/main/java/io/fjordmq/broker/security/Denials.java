package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.security.SecurityObserver.Attempt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts denied actions, notifies listeners and logs denials: always at DEBUG level, and at a
 * limited rate at INFO level.
 */
final class Denials {
  private static final Logger LOG = LoggerFactory.getLogger(Denials.class);

  private final SecurityObserver observer;
  private final PluginEvents events;
  private final RateLimitedLog rateLimitedLog = new RateLimitedLog();

  Denials(SecurityObserver observer, PluginEvents events) {
    this.observer = observer;
    this.events = events;
  }

  void denied(Attempt attempt, ClientInfo client, String action, AccessDecision accessDecision) {
    observer.onDenied(attempt, accessDecision.denialCause());
    LOG.debug(
        "Denied: {} is not allowed to {}: {}{}",
        client,
        action,
        accessDecision.denialCause().label(),
        by(accessDecision));
    @Nullable String suppressed = rateLimitedLog.permit();
    if (suppressed != null) {
      LOG.info(
          "Denied: {} is not allowed to {}: {}{}{}",
          client,
          action,
          reason(accessDecision),
          by(accessDecision),
          suppressed);
    }
    events.denied(
        new ClientEventListener.Denial(
            client.tenant(),
            client.clientId(),
            client.userName(),
            action,
            accessDecision.decidedBy()));
  }

  private static String by(AccessDecision accessDecision) {
    if (accessDecision.decidedBy().isEmpty()) {
      return "";
    }
    String rule = accessDecision.rule().isEmpty() ? "" : " (" + accessDecision.rule() + ")";
    return ", decided by " + accessDecision.decidedBy() + rule;
  }

  private static String reason(AccessDecision accessDecision) {
    DenialCause cause = accessDecision.denialCause();
    return cause == DenialCause.DENIED ? cause.label() : cause.explanation();
  }
}
