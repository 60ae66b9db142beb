package io.fjordmq.broker.security;

import io.fjordmq.broker.events.Denial;

/**
 * The decision about an action of a client.
 *
 * @param allowed whether the client may perform the action
 * @param decidedBy the name of the provider that decided; empty if no provider did
 * @param denialCause the cause of a denial; meaningless if the action is allowed
 * @param rule the rule that denied the action, with its line in the file; empty if there is none
 */
public record AccessDecision(
    boolean allowed, String decidedBy, DenialCause denialCause, String rule) {
  static final AccessDecision ALLOWED = new AccessDecision(true, "", DenialCause.DENIED);
  static final AccessDecision NOT_ALLOWED = new AccessDecision(false, "", DenialCause.NOT_ALLOWED);

  /** A decision without a rule. */
  public AccessDecision(boolean allowed, String decidedBy, DenialCause denialCause) {
    this(allowed, decidedBy, denialCause, "");
  }

  static AccessDecision denied(String decidedBy, DenialCause denialCause) {
    return new AccessDecision(false, decidedBy, denialCause);
  }

  /** The denial as shown in the history of a client. */
  public Denial denial() {
    return new Denial(decidedBy, rule, rule.isEmpty() ? denialCause.explanation() : "");
  }
}
