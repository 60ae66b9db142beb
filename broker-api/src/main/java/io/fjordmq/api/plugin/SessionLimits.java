package io.fjordmq.api.plugin;

import java.util.EnumMap;
import java.util.Map;

/**
 * Limits of one client, which replace those of its tenant, whether they are lower or higher. Limits
 * that are not set stay as they are.
 *
 * @param values the limits; a value outside the range that the configuration allows for its key is
 *     moved to the nearest one in this range
 * @since 0.1.0
 */
public record SessionLimits(Map<Kind, Long> values) {
  /** No limits of its own. */
  public static final SessionLimits NONE = new SessionLimits(Map.of());

  /** The limits, each with the key of {@code sessionConfig} that it replaces. */
  public enum Kind {
    /** {@code readBytesPerSecond}; 0 for no limit. */
    READ_BYTES_PER_SECOND,
    /** {@code writeBytesPerSecond}; 0 for no limit. */
    WRITE_BYTES_PER_SECOND,
    /** {@code publishesPerSecond}; 0 for no limit. */
    PUBLISHES_PER_SECOND,
    /** {@code maxPayloadBytes}; 0 for no limit but that of the packet. */
    MAX_PAYLOAD_BYTES,
    /** {@code maxSubscriptions}. */
    MAX_SUBSCRIPTIONS,
    /** {@code maxInflight}. */
    MAX_INFLIGHT,
    /** {@code maxQueuedMessages}. */
    MAX_QUEUED_MESSAGES,
    /** {@code maxQueuedBytes}. */
    MAX_QUEUED_BYTES,
    /** {@code maxKeepAliveSeconds}; 0 for no maximum. */
    MAX_KEEP_ALIVE_SECONDS,
    /** {@code maxSessionExpirySeconds}. */
    MAX_SESSION_EXPIRY_SECONDS
  }

  public SessionLimits {
    values = Map.copyOf(values);
  }

  /** Returns these limits with one of them replaced. */
  public SessionLimits with(Kind kind, long value) {
    Map<Kind, Long> changed = new EnumMap<>(Kind.class);
    changed.putAll(values);
    changed.put(kind, value);
    return new SessionLimits(changed);
  }

  /** Whether no limit is set. */
  public boolean isEmpty() {
    return values.isEmpty();
  }
}
