package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;

/** A change to inboxes. Each command encodes, decodes and applies itself. */
public sealed interface InboxCommand
    permits AttachSession,
        CommitDeliveries,
        ConfirmWill,
        CountInboxes,
        DetachOwner,
        DetachSession,
        DiscardSession,
        DropExpired,
        EditSubscription,
        ExpireDue,
        ForgetReceived,
        AbandonAttach,
        InsertMessage,
        RecordReceived,
        ReleaseEntry,
        TrimUndelivered {
  /*
   *   1  version 2
   *   1  kind
   *   .. as described in each command
   */
  int VERSION = 2;

  /** The highest {@link #kind}. */
  int LAST_KIND = DetachSession.KIND_BEFORE_CLOSE;

  /**
   * Returns the number that identifies this kind of command in the log; never reused for another
   * kind.
   */
  int kind();

  void write(ByteWriter out);

  /** Applies the command to the state and returns the response. */
  byte[] apply(InboxRows inboxes);

  /** Returns an estimate of the encoded size. */
  default int expectedBytes() {
    return 64;
  }

  default byte[] encode() {
    ByteWriter out = new ByteWriter(expectedBytes());
    out.writeByte(VERSION).writeByte(kind());
    write(out);
    return out.toByteArray();
  }

  /** Checks version and kind only, because messages can be large. */
  static void requireReadable(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("inbox command", VERSION, in.readByte());
    int kind = in.readByte();
    if (kind < 1 || kind > LAST_KIND) {
      throw NewerFormatException.unknownKind("inbox command", kind);
    }
  }

  static InboxCommand decode(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("inbox command", VERSION, in.readByte());
    int kind = in.readByte();
    InboxCommand command =
        switch (kind) {
          case InsertMessage.KIND, InsertMessage.KIND_WITH_SHARES -> InsertMessage.read(in);
          case CommitDeliveries.KIND -> CommitDeliveries.read(in);
          case AttachSession.KIND -> AttachSession.read(in, false);
          case AttachSession.KIND_WITH_USER -> AttachSession.read(in, true);
          case DetachSession.KIND, DetachSession.KIND_WITH_GRACE, DetachSession.KIND_BEFORE_CLOSE ->
              DetachSession.read(in, kind);
          case DiscardSession.KIND -> DiscardSession.read(in);
          case EditSubscription.KIND -> EditSubscription.read(in);
          case ReleaseEntry.KIND -> ReleaseEntry.read(in);
          case RecordReceived.KIND -> RecordReceived.read(in);
          case ForgetReceived.KIND -> ForgetReceived.read(in);
          case DropExpired.KIND -> DropExpired.read(in);
          case ConfirmWill.KIND -> ConfirmWill.read(in);
          case ExpireDue.KIND -> ExpireDue.read(in);
          case DetachOwner.KIND -> DetachOwner.read(in, false);
          case DetachOwner.KIND_WITH_GRACE -> DetachOwner.read(in, true);
          case CountInboxes.KIND -> CountInboxes.read(in);
          case AbandonAttach.KIND -> AbandonAttach.read(in);
          case TrimUndelivered.KIND -> TrimUndelivered.read(in);
          default -> throw NewerFormatException.unknownKind("inbox command", kind);
        };
    in.requireEnd();
    return command;
  }
}
