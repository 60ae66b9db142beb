package io.fjordmq.broker.security;

/**
 * What was decided about an action of a client.
 *
 * @param allowed whether it may
 * @param by the provider that decided; empty if none had an opinion
 * @param cause why not; of no meaning if it may
 */
public record AccessDecision(boolean allowed, String by, DenialCause denialCause) {
  static final AccessDecision ALLOWED = new AccessDecision(true, "", DenialCause.DENIED);
  static final AccessDecision NOBODY_ALLOWED =
      new AccessDecision(false, "", DenialCause.NOBODY_ALLOWED);

  static AccessDecision denied(String by, DenialCause denialCause) {
    return new AccessDecision(false, by, denialCause);
  }
}
