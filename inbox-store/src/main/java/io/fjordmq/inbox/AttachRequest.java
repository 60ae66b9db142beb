package io.fjordmq.inbox;

import io.fjordmq.api.Will;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of an attach.
 *
 * @param cleanStart whether to discard an existing inbox
 * @param ownerNode the node that serves the connection
 * @param ownerIncarnation incarnation of that node
 * @param expirySeconds how long the session outlives the connection; {@link #NEVER_EXPIRES} if it
 *     never expires; 0 for an inbox that only keeps the will of a connection
 * @param will published if the connection ends without a DISCONNECT; null if none
 * @param limits limits of the inbox from now on; null for those of {@link InboxSettings}
 * @param user user of the connection; null if the session is to have no user, which also removes an
 *     existing one
 */
public record AttachRequest(
    boolean cleanStart,
    String ownerNode,
    long ownerIncarnation,
    long expirySeconds,
    @Nullable Will will,
    @Nullable InboxLimits limits,
    @Nullable SessionUser user) {
  /** 0xFFFFFFFF, as in MQTT 5.0 §3.1.2.11.2. */
  public static final long NEVER_EXPIRES = 0xFFFF_FFFFL;

  /** Creates a request with the default limits and without a user. */
  public AttachRequest(
      boolean cleanStart,
      String ownerNode,
      long ownerIncarnation,
      long expirySeconds,
      @Nullable Will will) {
    this(cleanStart, ownerNode, ownerIncarnation, expirySeconds, will, null, null);
  }
}
