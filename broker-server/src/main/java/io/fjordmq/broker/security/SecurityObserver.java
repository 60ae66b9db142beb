package io.fjordmq.broker.security;

import java.util.Locale;

/** Receives security events, for metrics. Called on any thread; must only increment counters. */
public interface SecurityObserver {

  /** Ignores all events. */
  SecurityObserver NONE = new SecurityObserver() {};

  /** The kind of an attempted action; label of a metric. */
  enum Attempt {
    CONNECT,
    WILL,
    PUBLISH,
    SUBSCRIBE;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** Value of the metric label. */
    public String label() {
      return label;
    }
  }

  /** An action was denied. */
  default void onDenied(Attempt attempt, DenialCause denialCause) {}

  /** Duration of an authentication in nanoseconds, regardless of its result. */
  default void onAuthenticated(long nanos) {}

  /** Change of the number of logins that wait for a password hash. */
  default void addQueuedPasswords(int delta) {}

  /** Change of the number of addresses with recorded login failures. */
  default void addTrackedAddresses(int delta) {}

  /** Change of the number of calls that wait for a thread of their plugin. */
  default void addQueuedPluginCalls(int delta) {}

  /** Change of the number of events that wait for listeners. */
  default void addQueuedEvents(int delta) {}

  /** An event was dropped because the queue was full. */
  default void onEventDropped() {}

  /**
   * A changed file was read.
   *
   * @param loaded true if it is in effect, false if it is invalid
   */
  default void onFileReloaded(boolean loaded) {}
}
