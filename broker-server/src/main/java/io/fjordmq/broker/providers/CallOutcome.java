package io.fjordmq.broker.providers;

import java.util.Locale;

/** The outcome of a call to a provider, which is also a metric label. */
public enum CallOutcome {
  ALLOW,
  DENY,
  IGNORE,
  /** The rules of a client. */
  RULES,
  /** The provider reported an error. */
  FAILED,
  /** The provider did not respond in time. */
  TIMED_OUT,
  /** Too many calls were waiting. */
  BUSY,
  /** The circuit breaker was open. */
  BREAKER_OPEN,
  /** The client disconnected before the call began. */
  ABANDONED;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The value of the metric label. */
  public String label() {
    return label;
  }
}
