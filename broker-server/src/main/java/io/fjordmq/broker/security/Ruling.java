package io.fjordmq.broker.security;

/**
 * What was decided about an action of a client.
 *
 * @param allowed whether it may
 * @param by the provider that decided; empty if none had an opinion
 * @param cause why not; of no meaning if it may
 */
public record Ruling(boolean allowed, String by, Cause cause) {
  static final Ruling ALLOWED = new Ruling(true, "", Cause.DENIED);
  static final Ruling NOBODY_ALLOWED = new Ruling(false, "", Cause.NOBODY_ALLOWED);

  static Ruling denied(String by, Cause cause) {
    return new Ruling(false, by, cause);
  }
}
