package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import org.jspecify.annotations.Nullable;

/**
 * The state row of an inbox. It changes when a connection starts or ends, and not with messages.
 *
 * @param handle id, incarnation and epoch of the last attach
 * @param owner null while detached
 * @param sentBelow entries with a lower sequence may have been sent on a connection that has ended
 * @param expirySeconds session expiry after the connection ends
 * @param limits limits of the queue
 * @param will the encoded will; null if there is none or it is already due
 * @param willDueAtMillis when the will of a detached inbox is due; {@link #NEVER} while attached or
 *     without a will
 * @param expiresAtMillis when a detached inbox expires; {@link #NEVER} while attached or if it
 *     never expires
 * @param user the user that the session belongs to; null if none
 * @param guest true if the last connection was that of another user, which does not shorten the
 *     session expiry
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record InboxState(
    InboxHandle handle,
    @Nullable Owner owner,
    long sentBelow,
    long expirySeconds,
    InboxLimits limits,
    byte @Nullable [] will,
    long willDueAtMillis,
    long expiresAtMillis,
    @Nullable SessionUser user,
    boolean guest) {
  /*
   *   1  version 2; 3 if it belongs to a user
   *   1  flags   bit 0 attached, 1 has a will, 2 the user is exclusive, 3 guest
   *   8  incarnation
   *   v  epoch
   *   v  sentBelow
   *   v  expirySeconds
   *   v  max messages, v max bytes, 1 what happens when full (0 drop oldest, 1 refuse)
   *   s  owner node, 8 owner incarnation       if attached
   *   v  willDueAtMillis, v expiresAtMillis    if detached; 0 = never
   *   s  user                                  in version 3
   *   .. will                                  if it has one
   */
  private static final int VERSION = 3;
  private static final int VERSION_WITHOUT_USER = 2;
  private static final int ATTACHED = 1;
  private static final int HAS_WILL = 1 << 1;
  private static final int EXCLUSIVE = 1 << 2;
  private static final int GUEST = 1 << 3;

  public static final long NEVER = Long.MAX_VALUE;

  /** Creates the state of a session without a user. */
  InboxState(
      InboxHandle handle,
      @Nullable Owner owner,
      long sentBelow,
      long expirySeconds,
      InboxLimits limits,
      byte @Nullable [] will,
      long willDueAtMillis,
      long expiresAtMillis) {
    this(
        handle,
        owner,
        sentBelow,
        expirySeconds,
        limits,
        will,
        willDueAtMillis,
        expiresAtMillis,
        null,
        false);
  }

  /** Returns the earlier of will due time and expiry; {@link #NEVER} if there is neither. */
  long dueAtMillis() {
    return Math.min(willDueAtMillis, expiresAtMillis);
  }

  InboxState withoutWill() {
    return new InboxState(
        handle, owner, sentBelow, expirySeconds, limits, null, NEVER, expiresAtMillis, user, guest);
  }

  /** Returns the state of a detached inbox with other due times. */
  InboxState withDueTimes(long nextWillDueAtMillis, long nextExpiresAtMillis) {
    return new InboxState(
        handle,
        owner,
        sentBelow,
        expirySeconds,
        limits,
        will,
        nextWillDueAtMillis,
        nextExpiresAtMillis,
        user,
        guest);
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(64 + (will == null ? 0 : will.length));
    out.writeByte(user == null ? VERSION_WITHOUT_USER : VERSION)
        .writeByte(flags())
        .writeLong(handle.incarnation())
        .writeVarint(handle.epoch())
        .writeVarint(sentBelow)
        .writeVarint(expirySeconds);
    limits.write(out);
    if (owner != null) {
      out.writeString(owner.node()).writeLong(owner.incarnation());
    } else {
      out.writeVarint(willDueAtMillis == NEVER ? 0 : willDueAtMillis)
          .writeVarint(expiresAtMillis == NEVER ? 0 : expiresAtMillis);
    }
    if (user != null) {
      out.writeString(user.name());
    }
    if (will != null) {
      out.writeBytes(will);
    }
    return out.toByteArray();
  }

  private int flags() {
    return (owner != null ? ATTACHED : 0)
        | (will != null ? HAS_WILL : 0)
        | (user != null && user.exclusive() ? EXCLUSIVE : 0)
        | (guest ? GUEST : 0);
  }

  static InboxState decode(InboxId id, byte[] row) {
    ByteReader in = new ByteReader(row);
    int version = in.readByte();
    if (version != VERSION_WITHOUT_USER) {
      NewerFormatException.require("inbox state", VERSION, version);
    }
    int flags = in.readByte();
    InboxHandle handle = new InboxHandle(id, in.readLong(), in.readVarint());
    long sentBelow = in.readVarint();
    long expirySeconds = in.readVarint();
    InboxLimits limits = InboxLimits.read(in);
    Owner owner = null;
    long willDueAt = NEVER;
    long expiresAt = NEVER;
    if ((flags & ATTACHED) != 0) {
      owner = new Owner(in.readString(), in.readLong());
    } else {
      willDueAt = orNever(in.readVarint());
      expiresAt = orNever(in.readVarint());
    }
    SessionUser user =
        version == VERSION_WITHOUT_USER
            ? null
            : new SessionUser(in.readString(), (flags & EXCLUSIVE) != 0);
    byte[] will = (flags & HAS_WILL) == 0 ? null : in.readBytes(in.remaining());
    return new InboxState(
        handle,
        owner,
        sentBelow,
        expirySeconds,
        limits,
        will,
        willDueAt,
        expiresAt,
        user,
        (flags & GUEST) != 0);
  }

  private static long orNever(long stored) {
    return stored == 0 ? NEVER : stored;
  }
}
