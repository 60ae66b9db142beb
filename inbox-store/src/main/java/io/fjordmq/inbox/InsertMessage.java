package io.fjordmq.inbox;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Appends a message to inboxes of a range. The command, and therefore the log and the network,
 * contains the message only once. The response has one byte per target, the ordinal of its outcome.
 *
 * @param message the encoded message: a view that is valid as long as the command's bytes
 * @param publishId null if the message is never repeated
 * @param producerIdleMillis idle time after which the producer may be forgotten
 */
public record InsertMessage(
    ByteBuffer message,
    @Nullable PublishId publishId,
    long producerIdleMillis,
    List<InboxTarget> targets)
    implements InboxCommand {
  /*
   *   1  flags   bit 0 has a publish id
   *   8  producer, v sequence, v lowest, v producerIdleMillis    if it has
   *   b  message
   *   v  number of targets
   *   1  flags   bits 0-1 QoS, 2 RETAIN, 3 tenant as before, 4 has subscription identifiers, } each
   *              5 has a share, of the kind with shares                                  }
   *   s  tenant                                  unless as before                           }
   *   s  client id                                                                          }
   *   8  incarnation                                                                        }
   *   v  count, v each identifier                if it has any                              }
   *   s  share                                   if it has one                              }
   */
  static final int KIND = 1;

  static final int KIND_WITH_SHARES = 19;

  private static final int HAS_ID = 1;
  private static final int QOS = 0b11;
  private static final int RETAIN = 1 << 2;
  private static final int SAME_TENANT = 1 << 3;
  private static final int HAS_IDENTIFIERS = 1 << 4;
  private static final int HAS_SHARE = 1 << 5;

  /**
   * Encodes the command that inserts a message. The message is encoded directly into the command,
   * so that its payload is copied only once.
   */
  public static byte[] encode(
      Message message,
      @Nullable PublishId publishId,
      long producerIdleMillis,
      List<InboxTarget> targets) {
    int messageBytes = MessageCodec.encodedBytes(message);
    ByteWriter out =
        new ByteWriter(
            2
                + idBytes(publishId, producerIdleMillis)
                + blockAndTargetBytes(messageBytes, targets));
    out.writeByte(VERSION).writeByte(kind(targets));
    writeId(out, publishId, producerIdleMillis);
    out.writeVarint(messageBytes);
    MessageCodec.write(message, out);
    writeTargets(out, targets);
    return out.toByteArray();
  }

  @Override
  public int kind() {
    return kind(targets);
  }

  private static int kind(List<InboxTarget> targets) {
    for (int i = 0; i < targets.size(); i++) {
      if (targets.get(i).share() != null) {
        return KIND_WITH_SHARES;
      }
    }
    return KIND;
  }

  @Override
  public int expectedBytes() {
    return 2
        + idBytes(publishId, producerIdleMillis)
        + blockAndTargetBytes(message.remaining(), targets);
  }

  private static int idBytes(@Nullable PublishId publishId, long producerIdleMillis) {
    return publishId == null
        ? 1
        : 1
            + 8
            + ByteWriter.varintBytes(publishId.sequence())
            + ByteWriter.varintBytes(publishId.lowest())
            + ByteWriter.varintBytes(producerIdleMillis);
  }

  private static int blockAndTargetBytes(int messageBytes, List<InboxTarget> targets) {
    int bytes = ByteWriter.blockBytes(messageBytes) + ByteWriter.varintBytes(targets.size());
    String tenant = "";
    for (InboxTarget target : targets) {
      bytes += targetBytes(target, tenant);
      tenant = target.id().tenant();
    }
    return bytes;
  }

  private static int targetBytes(InboxTarget target, String tenantBefore) {
    InboxId id = target.id();
    List<Integer> identifiers = target.subscriptionIdentifiers();
    String share = target.share();
    return 1
        + (id.tenant().equals(tenantBefore) ? 0 : ByteWriter.stringBytes(id.tenant()))
        + ByteWriter.stringBytes(id.clientId())
        + 8
        + (identifiers.isEmpty() ? 0 : EntryRow.identifierBytes(identifiers))
        + (share == null ? 0 : ByteWriter.stringBytes(share));
  }

  @Override
  public void write(ByteWriter out) {
    writeId(out, publishId, producerIdleMillis);
    out.writeBlock(message);
    writeTargets(out, targets);
  }

  private static void writeId(
      ByteWriter out, @Nullable PublishId publishId, long producerIdleMillis) {
    out.writeByte(publishId != null ? HAS_ID : 0);
    if (publishId != null) {
      out.writeLong(publishId.producer())
          .writeVarint(publishId.sequence())
          .writeVarint(publishId.lowest())
          .writeVarint(producerIdleMillis);
    }
  }

  private static void writeTargets(ByteWriter out, List<InboxTarget> targets) {
    out.writeVarint(targets.size());
    String tenant = "";
    for (InboxTarget target : targets) {
      writeTarget(out, target, tenant);
      tenant = target.id().tenant();
    }
  }

  private static void writeTarget(ByteWriter out, InboxTarget target, String tenantBefore) {
    boolean sameTenant = target.id().tenant().equals(tenantBefore);
    List<Integer> identifiers = target.subscriptionIdentifiers();
    String share = target.share();
    out.writeByte(
        target.qos().level()
            | (target.retain() ? RETAIN : 0)
            | (sameTenant ? SAME_TENANT : 0)
            | (identifiers.isEmpty() ? 0 : HAS_IDENTIFIERS)
            | (share == null ? 0 : HAS_SHARE));
    if (!sameTenant) {
      out.writeString(target.id().tenant());
    }
    out.writeString(target.id().clientId()).writeLong(target.incarnation());
    if (!identifiers.isEmpty()) {
      EntryRow.writeIdentifiers(identifiers, out);
    }
    if (share != null) {
      out.writeString(share);
    }
  }

  static InsertMessage read(ByteReader in) {
    PublishId id = null;
    long idleMillis = 0;
    if ((in.readByte() & HAS_ID) != 0) {
      id = new PublishId(in.readLong(), in.readVarint(), in.readVarint());
      idleMillis = in.readVarint();
    }
    ByteBuffer message = in.readView();
    int count = in.readCount(10);
    List<InboxTarget> targets = new ArrayList<>(count);
    String tenant = "";
    for (int i = 0; i < count; i++) {
      InboxTarget target = readTarget(in, tenant);
      tenant = target.id().tenant();
      targets.add(target);
    }
    return new InsertMessage(message, id, idleMillis, targets);
  }

  private static InboxTarget readTarget(ByteReader in, String tenantBefore) {
    int flags = in.readByte();
    String tenant = (flags & SAME_TENANT) != 0 ? tenantBefore : in.readString();
    return new InboxTarget(
        new InboxId(tenant, in.readString()),
        in.readLong(),
        Qos.of(flags & QOS),
        (flags & RETAIN) != 0,
        (flags & HAS_IDENTIFIERS) == 0 ? List.of() : EntryRow.readIdentifiers(in),
        (flags & HAS_SHARE) == 0 ? null : in.readString());
  }

  @Override
  public byte[] apply(InboxRows inboxes) {
    LazyMessage shared = new LazyMessage(message);
    byte[] outcomes = new byte[targets.size()];
    for (int i = 0; i < outcomes.length; i++) {
      outcomes[i] = (byte) insert(inboxes, targets.get(i), shared).ordinal();
    }
    return outcomes;
  }

  private InsertOutcome insert(InboxRows inboxes, InboxTarget target, LazyMessage shared) {
    Inbox inbox = inboxes.find(target.id());
    if (inbox == null || inbox.incarnation() != target.incarnation()) {
      return InsertOutcome.ABSENT;
    }
    if (publishId != null && Producers.isDuplicate(inboxes, inbox, publishId)) {
      return InsertOutcome.DUPLICATE;
    }
    EntryQueue queue = new EntryQueue(inboxes, inbox);
    EntryQueue.SpaceResult spaceResult = queue.makeSpace(message.remaining());
    if (spaceResult == EntryQueue.SpaceResult.INSUFFICIENT) {
      return InsertOutcome.REFUSED_FULL;
    }
    long sequence = queue.append(target, message);
    if (publishId != null) {
      Producers.record(inboxes, inbox, publishId, producerIdleMillis);
    }
    Owner owner = inbox.state().owner();
    if (owner != null) {
      inboxes.emit(
          new InboxEffect.Appended(owner.node(), inbox.handle(), sequence, target, shared));
    }
    return spaceResult == EntryQueue.SpaceResult.FREED
        ? InsertOutcome.STORED_DROPPING_OLDEST
        : InsertOutcome.STORED;
  }
}
