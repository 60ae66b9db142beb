package io.fjordmq.broker.security;

import io.fjordmq.broker.providers.ProviderInfo;
import io.fjordmq.broker.providers.ProviderMeter;
import java.util.Locale;

/** Receives security events, for metrics. Called on any thread; must only increment counters. */
public interface SecurityObserver {
  /** Ignores all events. */
  SecurityObserver NONE = new SecurityObserver() {};

  /** The kind of attempted action, which is also a metric label. */
  enum Attempt {
    CONNECT,
    WILL,
    PUBLISH,
    SUBSCRIBE;

    private final String label = name().toLowerCase(Locale.ROOT);

    /** The value of the metric label. */
    public String label() {
      return label;
    }
  }

  /** An action was denied. */
  default void onDenied(Attempt attempt, DenialCause denialCause) {}

  /** An authentication has completed, with any result, after {@code nanos} nanoseconds. */
  default void onAuthenticated(long nanos) {}

  /** The number of logins waiting for their password to be hashed has changed by {@code delta}. */
  default void addQueuedPasswords(int delta) {}

  /** The number of addresses with recorded login failures has changed by {@code delta}. */
  default void addTrackedAddresses(int delta) {}

  /** The number of calls waiting for a thread of their plugin has changed by {@code delta}. */
  default void addQueuedPluginCalls(int delta) {}

  /** The number of events waiting for listeners has changed by {@code delta}. */
  default void addQueuedEvents(int delta) {}

  /** An event was dropped because the queue was full. */
  default void onEventDropped() {}

  /**
   * A changed file was read.
   *
   * @param loaded true if the new contents are in effect, false if they are invalid
   */
  default void onFileReloaded(boolean loaded) {}

  /** Returns the receiver of the events of a provider. */
  default ProviderMeter provider(ProviderInfo info) {
    return ProviderMeter.NONE;
  }

  /** A flapping client was banned. */
  default void onFlappingBan() {}
}
