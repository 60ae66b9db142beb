package io.fjordmq.broker.security;

/**
 * The decision about an action of a client.
 *
 * @param allowed whether the client may perform the action
 * @param decidedBy the name of the provider that decided; empty if no provider did
 * @param denialCause the cause of a denial; meaningless if the action is allowed
 */
public record AccessDecision(boolean allowed, String decidedBy, DenialCause denialCause) {
  static final AccessDecision ALLOWED = new AccessDecision(true, "", DenialCause.DENIED);
  static final AccessDecision NOT_ALLOWED = new AccessDecision(false, "", DenialCause.NOT_ALLOWED);

  static AccessDecision denied(String decidedBy, DenialCause denialCause) {
    return new AccessDecision(false, decidedBy, denialCause);
  }
}
