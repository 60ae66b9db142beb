package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import org.jspecify.annotations.Nullable;

/**
 * The row of an inbox that changes when a connection comes or goes, and not with messages.
 *
 * @param handle id, incarnation and epoch of the last attach
 * @param owner null while detached
 * @param sentBelow entries with a lower sequence may have been sent on a connection that has ended
 * @param expirySeconds of the session after the connection ends
 * @param limits of the queue
 * @param will encoded; null if there is none, or it is due already
 * @param willDueAtMillis when a detached inbox's will is due; {@link #NEVER} while attached or
 *     without will
 * @param expiresAtMillis when a detached inbox ends; {@link #NEVER} while attached or without end
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record InboxState(
    InboxHandle handle,
    @Nullable Owner owner,
    long sentBelow,
    long expirySeconds,
    InboxLimits limits,
    byte @Nullable [] will,
    long willDueAtMillis,
    long expiresAtMillis) {
  /*
   *   1  version 2
   *   1  flags   bit 0 attached, 1 has a will
   *   8  incarnation
   *   v  epoch
   *   v  sentBelow
   *   v  expirySeconds
   *   v  max messages, v max bytes, 1 what happens when full (0 drop oldest, 1 refuse)
   *   s  owner node, 8 owner incarnation       if attached
   *   v  willDueAtMillis, v expiresAtMillis    if detached; 0 = never
   *   .. will                                  if it has one
   */
  private static final int VERSION = 2;
  private static final int ATTACHED = 1;
  private static final int HAS_WILL = 1 << 1;

  static final long NEVER = Long.MAX_VALUE;

  /** When time next changes something in it; {@link #NEVER} if nothing. */
  long dueAtMillis() {
    return Math.min(willDueAtMillis, expiresAtMillis);
  }

  InboxState withoutWill() {
    return new InboxState(
        handle, owner, sentBelow, expirySeconds, limits, null, NEVER, expiresAtMillis);
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(64 + (will == null ? 0 : will.length));
    out.writeByte(VERSION)
        .writeByte((owner != null ? ATTACHED : 0) | (will != null ? HAS_WILL : 0))
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
    if (will != null) {
      out.writeBytes(will);
    }
    return out.toByteArray();
  }

  static InboxState decode(InboxId id, byte[] row) {
    ByteReader in = new ByteReader(row);
    Versions.require(in.readByte(), VERSION, "inbox state");
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
    byte[] will = (flags & HAS_WILL) == 0 ? null : in.readBytes(in.remaining());
    return new InboxState(
        handle, owner, sentBelow, expirySeconds, limits, will, willDueAt, expiresAt);
  }

  private static long orNever(long stored) {
    return stored == 0 ? NEVER : stored;
  }
}
