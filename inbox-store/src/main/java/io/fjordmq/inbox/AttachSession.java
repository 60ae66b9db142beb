package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.inbox.Attachment.Discarded;
import io.fjordmq.inbox.Attachment.ReceivedPublish;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Attaches an inbox to a connection. The response is an {@link AttachmentCodec attachment}.
 *
 * @param salt makes the incarnation unique within a millisecond; {@link #SALT_BITS} bits
 * @param will the encoded will; null if none
 * @param user user of the connection; null if the session is to have no user. With a user, the
 *     response starts with one byte: 0 if attached, 1 if refused because the inbox belongs to
 *     another user, 2 if attached as a guest
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record AttachSession(
    InboxId id,
    boolean cleanStart,
    Owner owner,
    long expirySeconds,
    InboxLimits limits,
    int salt,
    byte @Nullable [] will,
    @Nullable SessionUser user)
    implements InboxCommand {
  /*
   *   1  flags   bit 0 clean start, 1 has a will, 2 the user is exclusive
   *   .. id, owner
   *   v  expirySeconds
   *   v  max messages, v max bytes, 1 policy when full
   *   v  salt
   *   b  will     if it has one
   *   s  user     in the kind that has one
   */
  static final int KIND = 3;
  static final int KIND_WITH_USER = 18;
  public static final int SALT_BITS = 20;
  private static final int CLEAN_START = 1;
  private static final int HAS_WILL = 1 << 1;
  private static final int EXCLUSIVE = 1 << 2;

  private static final int ATTACHED = 0;
  private static final int REFUSED = 1;
  private static final int GUEST = 2;

  /** Creates an attach without a user. */
  AttachSession(
      InboxId id,
      boolean cleanStart,
      Owner owner,
      long expirySeconds,
      InboxLimits limits,
      int salt,
      byte @Nullable [] will) {
    this(id, cleanStart, owner, expirySeconds, limits, salt, will, null);
  }

  @Override
  public int kind() {
    return user == null ? KIND : KIND_WITH_USER;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeByte(
        (cleanStart ? CLEAN_START : 0)
            | (will != null ? HAS_WILL : 0)
            | (user != null && user.exclusive() ? EXCLUSIVE : 0));
    FieldCodec.writeId(out, id);
    FieldCodec.writeOwner(out, owner);
    out.writeVarint(expirySeconds);
    limits.write(out);
    out.writeVarint(salt);
    if (will != null) {
      out.writeBlock(will);
    }
    if (user != null) {
      out.writeString(user.name());
    }
  }

  static AttachSession read(ByteReader in, boolean hasUser) {
    int flags = in.readByte();
    return new AttachSession(
        FieldCodec.readId(in),
        (flags & CLEAN_START) != 0,
        FieldCodec.readOwner(in),
        in.readVarint(),
        InboxLimits.read(in),
        in.readInt(),
        (flags & HAS_WILL) == 0 ? null : in.readBlock(),
        hasUser ? new SessionUser(in.readString(), (flags & EXCLUSIVE) != 0) : null);
  }

  @Override
  public byte[] apply(InboxRows inboxes) {
    Inbox inbox = inboxes.find(id);
    if (inbox != null && SessionExpiry.applyDue(inboxes, inbox)) {
      inbox = null;
    }
    if (inbox != null && isClosedTo(inbox.state())) {
      return new byte[] {REFUSED};
    }
    InboxHandle before = new InboxHandle(id, 0, 0);
    Discarded discarded = null;
    if (inbox != null) {
      before = inbox.handle();
      if (SessionExpiry.takeOver(inboxes, inbox, cleanStart)) {
        discarded = new Discarded(before.incarnation(), inboxes.remove(inbox));
        inbox = null;
      }
    }
    final boolean present = inbox != null;
    if (inbox == null) {
      inbox = inboxes.create(before, salt, expirySeconds, limits);
    }
    InboxState previous = inbox.state();
    boolean guest = present && isOtherUser(previous);
    InboxHandle handle = new InboxHandle(id, inbox.incarnation(), before.epoch() + 1);
    long sentBelow = inbox.sentBelow();
    inboxes.saveState(
        inbox,
        new InboxState(
            handle,
            owner,
            sentBelow,
            guest ? Math.max(previous.expirySeconds(), expirySeconds) : expirySeconds,
            limits,
            will,
            InboxState.NEVER,
            InboxState.NEVER,
            guest ? asNonExclusive(previous.user()) : user,
            guest));
    byte[] attachment = AttachmentCodec.encode(attachmentOf(inboxes, inbox, present, discarded));
    return user == null
        ? attachment
        : new ByteWriter(1 + attachment.length)
            .writeByte(guest ? GUEST : ATTACHED)
            .writeBytes(attachment)
            .toByteArray();
  }

  /**
   * Returns true if both users are exclusive and differ. A session that is not exclusive passes to
   * the first exclusive user that attaches it.
   */
  private boolean isClosedTo(InboxState state) {
    SessionUser other = otherUser(state);
    return other != null && other.exclusive() && user != null && user.exclusive();
  }

  private boolean isOtherUser(InboxState state) {
    return otherUser(state) != null && user != null && !user.exclusive();
  }

  /**
   * Returns the user without exclusivity: a guest can attach only because sessions are not, or no
   * longer, exclusive.
   */
  private static @Nullable SessionUser asNonExclusive(@Nullable SessionUser user) {
    return user == null ? null : new SessionUser(user.name(), false);
  }

  /** Returns the user of the session if it is not the user of this connection; otherwise null. */
  private @Nullable SessionUser otherUser(InboxState state) {
    SessionUser other = state.user();
    return user == null || other == null || user.isSame(other) ? null : other;
  }

  /**
   * Decodes the response.
   *
   * @throws InboxBoundException if the session belongs exclusively to another user
   */
  public Attachment decodeResponse(byte[] response) {
    if (user == null) {
      return AttachmentCodec.decode(response);
    }
    if (response[0] == REFUSED) {
      throw new InboxBoundException(id);
    }
    Attachment attachment =
        AttachmentCodec.decode(Arrays.copyOfRange(response, 1, response.length));
    return response[0] == GUEST ? attachment.asGuest() : attachment;
  }

  private static Attachment attachmentOf(
      InboxRows inboxes, Inbox inbox, boolean present, @Nullable Discarded discarded) {
    List<ReceivedPublish> received = new ArrayList<>();
    inboxes.scanKind(
        inbox,
        InboxKeys.RECEIVED,
        (key, value) ->
            received.add(
                new ReceivedPublish(
                    InboxKeys.restOfRow(key).readShort(), RecordReceived.decodeRow(value))));
    InboxCursor cursor = inbox.cursor;
    return new Attachment(
        inbox.handle(),
        present,
        inboxes.subscriptions(inbox),
        discarded,
        cursor.committed,
        cursor.next,
        inbox.state().sentBelow(),
        List.copyOf(inbox.released.keySet()),
        cursor.settled.first(Attachment.MAX_ACKNOWLEDGED),
        received,
        cursor.nextPublish,
        inboxes.connectOrder());
  }
}
