package io.fjordmq.inbox;

import io.fjordmq.api.Will;
import org.jspecify.annotations.Nullable;

/**
 * What a connecting client asks.
 *
 * @param cleanStart throw away an inbox that is there
 * @param ownerNode the node that serves the connection
 * @param ownerIncarnation of that node's process
 * @param expirySeconds how long the session outlives the connection; {@link #NEVER_EXPIRES} for
 *     ever; 0 for an inbox that only keeps the will of a connection
 * @param will published if the connection ends badly; null if none
 * @param limits of the inbox from now on; null for those of {@link InboxSettings}
 * @param user of the connection; null if the session is to be nobody's and to be taken from
 *     whomever it belongs to
 */
public record AttachRequest(
    boolean cleanStart,
    String ownerNode,
    long ownerIncarnation,
    long expirySeconds,
    @Nullable Will will,
    @Nullable InboxLimits limits,
    @Nullable SessionUser user) {
  /** 0xFFFFFFFF as in MQTT 5.0 §3.1.2.11.2. */
  public static final long NEVER_EXPIRES = 0xFFFF_FFFFL;

  /** With the limits of the settings. */
  public AttachRequest(
      boolean cleanStart,
      String ownerNode,
      long ownerIncarnation,
      long expirySeconds,
      @Nullable Will will) {
    this(cleanStart, ownerNode, ownerIncarnation, expirySeconds, will, null, null);
  }
}
