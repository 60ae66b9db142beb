package io.fjordmq.broker.security;

import java.util.Locale;

/** What security tells the metrics. Called from any thread: adds to a counter and returns. */
public interface SecurityObserver {

  /** Nobody listens. */
  SecurityObserver NONE = new SecurityObserver() {};

  /** What somebody wanted; the label of a metric. */
  enum Attempt {
    CONNECT,
    WILL,
    PUBLISH,
    SUBSCRIBE;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** Value of the metric's label. */
    public String label() {
      return label;
    }
  }

  /** Somebody may not do something. */
  default void denied(Attempt attempt, DenialCause denialCause) {}

  /** An authentication took so many nanoseconds, whatever came of it. */
  default void authenticated(long nanos) {}

  /** Logins waiting for the computation of a hash: change of the number. */
  default void passwordsWaiting(int delta) {}

  /** Addresses whose failed logins are remembered: change of the number. */
  default void addressesRemembered(int delta) {}

  /** Calls that wait for a thread of their plugin: change of the number. */
  default void pluginCallsWaiting(int delta) {}

  /** Events waiting for listeners: change of the number. */
  default void eventsWaiting(int delta) {}

  /** An event was dropped because too many waited. */
  default void eventDropped() {}

  /** A file had changed and was read: taken over, or refused because it is broken. */
  default void fileRead(boolean taken) {}
}
