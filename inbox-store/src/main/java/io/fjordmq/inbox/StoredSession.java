package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.kv.KvReader;
import org.jspecify.annotations.Nullable;

/**
 * A persistent session as operators see it.
 *
 * @param incarnation incarnation of its inbox
 * @param owner the node that its client is connected to; null while the client is offline
 * @param expirySeconds session expiry after the connection ends; {@link
 *     AttachRequest#NEVER_EXPIRES} for never
 * @param limits limits of its queue
 * @param user the user that the session belongs to; null if none
 * @param hasWill whether a will is pending or belongs to the current connection
 * @param willDueAtMillis when the will of an offline client is due, in epoch milliseconds; {@link
 *     InboxState#NEVER} if there is none or the client is connected
 * @param expiresAtMillis when the session of an offline client expires; {@link InboxState#NEVER}
 *     while the client is connected or if the session never expires
 * @param queued messages that the client has not acknowledged, without those that wait for PUBCOMP
 * @param queuedBytes their size in bytes
 * @param awaitingPubComp messages whose PUBREC has been received
 * @param subscriptions number of subscriptions
 */
public record StoredSession(
    InboxId id,
    long incarnation,
    @Nullable Owner owner,
    long expirySeconds,
    InboxLimits limits,
    @Nullable SessionUser user,
    boolean hasWill,
    long willDueAtMillis,
    long expiresAtMillis,
    long queued,
    long queuedBytes,
    long awaitingPubComp,
    long subscriptions) {
  /*
   *   .. id
   *   8  incarnation
   *   1  flags   bit 0 attached, 1 has a will, 2 has a user, 3 the user is exclusive
   *   .. owner                                 if attached
   *   v  expirySeconds
   *   .. limits
   *   s  user                                  if it has one
   *   v  willDueAtMillis, v expiresAtMillis    0 = never
   *   v  queued, v queuedBytes, v awaitingPubComp, v subscriptions
   */
  private static final int ATTACHED = 1;
  private static final int HAS_WILL = 1 << 1;
  private static final int HAS_USER = 1 << 2;
  private static final int EXCLUSIVE = 1 << 3;

  /** Returns when the session was created, in epoch milliseconds. */
  public long createdAtMillis() {
    return incarnation >>> AttachSession.SALT_BITS;
  }

  /** Returns when the client disconnected, in epoch milliseconds; -1 if that is not known. */
  public long disconnectedAtMillis() {
    boolean known = owner == null && expiresAtMillis != InboxState.NEVER;
    return known ? expiresAtMillis - expirySeconds * 1_000 : -1;
  }

  /**
   * Returns whether an inbox is a session that a client can resume. Others hold only the will or
   * the user of a connection, or are about to be removed.
   */
  static boolean isSession(InboxState state, long nowMillis) {
    return state.expirySeconds() > 0
        && (state.owner() != null || state.expiresAtMillis() > nowMillis);
  }

  static StoredSession load(KvReader rows, InboxState state) {
    Inbox inbox = InboxLoader.load(rows, state);
    return new StoredSession(
        inbox.id,
        inbox.incarnation(),
        state.owner(),
        state.expirySeconds(),
        state.limits(),
        state.user(),
        state.will() != null,
        state.willDueAtMillis(),
        state.expiresAtMillis(),
        Math.max(0, inbox.queued()),
        Math.max(0, inbox.queuedBytes()),
        inbox.released.size(),
        inbox.cursor.subscriptions);
  }

  void write(ByteWriter out) {
    FieldCodec.writeId(out, id);
    out.writeLong(incarnation).writeByte(flags());
    if (owner != null) {
      FieldCodec.writeOwner(out, owner);
    }
    out.writeVarint(expirySeconds);
    limits.write(out);
    if (user != null) {
      out.writeString(user.name());
    }
    out.writeVarint(willDueAtMillis == InboxState.NEVER ? 0 : willDueAtMillis)
        .writeVarint(expiresAtMillis == InboxState.NEVER ? 0 : expiresAtMillis)
        .writeVarint(queued)
        .writeVarint(queuedBytes)
        .writeVarint(awaitingPubComp)
        .writeVarint(subscriptions);
  }

  private int flags() {
    return (owner != null ? ATTACHED : 0)
        | (hasWill ? HAS_WILL : 0)
        | (user != null ? HAS_USER : 0)
        | (user != null && user.exclusive() ? EXCLUSIVE : 0);
  }

  static StoredSession read(ByteReader in) {
    InboxId id = FieldCodec.readId(in);
    long incarnation = in.readLong();
    int flags = in.readByte();
    Owner owner = (flags & ATTACHED) == 0 ? null : FieldCodec.readOwner(in);
    long expirySeconds = in.readVarint();
    InboxLimits limits = InboxLimits.read(in);
    SessionUser user =
        (flags & HAS_USER) == 0 ? null : new SessionUser(in.readString(), (flags & EXCLUSIVE) != 0);
    return new StoredSession(
        id,
        incarnation,
        owner,
        expirySeconds,
        limits,
        user,
        (flags & HAS_WILL) != 0,
        orNever(in.readVarint()),
        orNever(in.readVarint()),
        in.readVarint(),
        in.readVarint(),
        in.readVarint(),
        in.readVarint());
  }

  private static long orNever(long encoded) {
    return encoded == 0 ? InboxState.NEVER : encoded;
  }
}
