package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.inbox.Attachment.Discarded;
import io.fjordmq.inbox.Attachment.ReceivedPublish;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims an inbox for a connection. Answers an {@link AttachmentCodec attachment}.
 *
 * @param salt makes the incarnation unique among those of the same millisecond; {@link #SALT_BITS}
 *     bits
 * @param will encoded; null if none
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record AttachSession(
    InboxId id,
    boolean cleanStart,
    Owner owner,
    long expirySeconds,
    InboxLimits limits,
    int salt,
    byte @Nullable [] will)
    implements InboxCommand {
  /*
   *   1  flags   bit 0 clean start, 1 has a will
   *   .. id, owner
   *   v  expirySeconds
   *   v  max messages, v max bytes, 1 what happens when full
   *   v  salt
   *   b  will     if it has one
   */
  static final int KIND = 3;
  static final int SALT_BITS = 20;
  private static final int CLEAN_START = 1;
  private static final int HAS_WILL = 1 << 1;

  @Override
  public int kind() {
    return KIND;
  }

  @Override
  public void write(ByteWriter out) {
    out.writeByte((cleanStart ? CLEAN_START : 0) | (will != null ? HAS_WILL : 0));
    Fields.writeId(out, id);
    Fields.writeOwner(out, owner);
    out.writeVarint(expirySeconds);
    limits.write(out);
    out.writeVarint(salt);
    if (will != null) {
      out.writeBlock(will);
    }
  }

  static AttachSession read(ByteReader in) {
    int flags = in.readByte();
    return new AttachSession(
        Fields.readId(in),
        (flags & CLEAN_START) != 0,
        Fields.readOwner(in),
        in.readVarint(),
        InboxLimits.read(in),
        in.readInt(),
        (flags & HAS_WILL) == 0 ? null : in.readBlock());
  }

  @Override
  public byte[] apply(InboxTables tables) {
    Inbox inbox = tables.find(id);
    if (inbox != null && SessionLife.settle(tables, inbox)) {
      inbox = null;
    }
    InboxHandle before = new InboxHandle(id, 0, 0);
    Discarded discarded = null;
    if (inbox != null) {
      before = inbox.handle();
      SessionLife.takeOver(tables, inbox, cleanStart);
      if (cleanStart) {
        discarded = new Discarded(before.incarnation(), tables.remove(inbox));
        inbox = null;
      }
    }
    final boolean present = inbox != null;
    if (inbox == null) {
      inbox = tables.create(before, salt, expirySeconds, limits);
    }
    InboxHandle handle = new InboxHandle(id, inbox.incarnation(), before.epoch() + 1);
    long sentBelow = inbox.sentBelow();
    tables.saveState(
        inbox,
        new InboxState(
            handle,
            owner,
            sentBelow,
            expirySeconds,
            limits,
            will,
            InboxState.NEVER,
            InboxState.NEVER));
    return AttachmentCodec.encode(describe(tables, inbox, present, discarded));
  }

  private static Attachment describe(
      InboxTables tables, Inbox inbox, boolean present, @Nullable Discarded discarded) {
    List<ReceivedPublish> received = new ArrayList<>();
    tables.scanKind(
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
        tables.subscriptions(inbox),
        discarded,
        cursor.committed,
        cursor.next,
        inbox.state().sentBelow(),
        List.copyOf(inbox.released.keySet()),
        cursor.done.first(Attachment.MAX_ACKNOWLEDGED),
        received,
        cursor.nextPublish,
        tables.claim());
  }
}
