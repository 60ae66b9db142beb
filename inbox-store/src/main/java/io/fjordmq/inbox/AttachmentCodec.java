package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.inbox.Attachment.Discarded;
import io.fjordmq.inbox.Attachment.ReceivedPublish;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes the responses to attach and discard commands, which are sent between nodes but not
 * stored.
 */
public final class AttachmentCodec {
  /*
   *   .. handle
   *   1  flags   bit 0 session present, 1 something was discarded
   *   .. subscriptions
   *   .. discarded     if there is one
   *   v  firstUndelivered, v nextSequence, v sentBelow
   *   .. numbers released, numbers acknowledged
   *   v  count, 2 packet identifier, v sequence of each received QoS 2 publish
   *   v  nextPublishSequence
   *   .. connect order
   *
   * Response to a discard:
   *
   *   .. connect order
   *   .. discarded     if there is one
   *
   * connect order: 8 epoch version, 8 index
   * discarded: 8 incarnation, subscriptions
   */
  private static final int PRESENT = 1;
  private static final int DISCARDED = 1 << 1;

  private AttachmentCodec() {}

  public static byte[] encode(Attachment attachment) {
    ByteWriter out = new ByteWriter(128);
    Discarded discarded = attachment.discarded();
    FieldCodec.writeHandle(out, attachment.handle());
    out.writeByte(
        (attachment.sessionPresent() ? PRESENT : 0) | (discarded != null ? DISCARDED : 0));
    FieldCodec.writeSubscriptions(out, attachment.subscriptions());
    if (discarded != null) {
      writeDiscarded(out, discarded);
    }
    out.writeVarint(attachment.firstUndelivered())
        .writeVarint(attachment.nextSequence())
        .writeVarint(attachment.sentBelow());
    FieldCodec.writeNumbers(out, attachment.released());
    FieldCodec.writeNumbers(out, attachment.acknowledged());
    out.writeVarint(attachment.receivedQos2().size());
    for (ReceivedPublish received : attachment.receivedQos2()) {
      out.writeShort(received.packetIdentifier()).writeVarint(received.publishSequence());
    }
    out.writeVarint(attachment.nextPublishSequence());
    writeOrder(out, attachment.connectOrder());
    return out.toByteArray();
  }

  static Attachment decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    InboxHandle handle = FieldCodec.readHandle(in);
    int flags = in.readByte();
    List<InboxSubscription> subscriptions = FieldCodec.readSubscriptions(in);
    Discarded discarded = (flags & DISCARDED) == 0 ? null : readDiscarded(in);
    long firstUndelivered = in.readVarint();
    long nextSequence = in.readVarint();
    long sentBelow = in.readVarint();
    List<Long> released = FieldCodec.readNumbers(in);
    List<Long> acknowledged = FieldCodec.readNumbers(in);
    int count = in.readCount(3);
    List<ReceivedPublish> received = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      received.add(new ReceivedPublish(in.readShort(), in.readVarint()));
    }
    return new Attachment(
        handle,
        (flags & PRESENT) != 0,
        subscriptions,
        discarded,
        firstUndelivered,
        nextSequence,
        sentBelow,
        released,
        acknowledged,
        received,
        in.readVarint(),
        readOrder(in));
  }

  static byte[] encodeDiscard(DiscardResult discardResult) {
    ByteWriter out = new ByteWriter(64);
    writeOrder(out, discardResult.connectOrder());
    Discarded discarded = discardResult.discarded();
    if (discarded != null) {
      writeDiscarded(out, discarded);
    }
    return out.toByteArray();
  }

  public static DiscardResult decodeDiscard(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    ConnectOrder connectOrder = readOrder(in);
    return new DiscardResult(connectOrder, in.remaining() == 0 ? null : readDiscarded(in));
  }

  private static void writeOrder(ByteWriter out, ConnectOrder connectOrder) {
    out.writeLong(connectOrder.epochVersion()).writeLong(connectOrder.index());
  }

  private static ConnectOrder readOrder(ByteReader in) {
    return new ConnectOrder(in.readLong(), in.readLong());
  }

  private static void writeDiscarded(ByteWriter out, Discarded discarded) {
    out.writeLong(discarded.incarnation());
    FieldCodec.writeSubscriptions(out, discarded.subscriptions());
  }

  private static Discarded readDiscarded(ByteReader in) {
    return new Discarded(in.readLong(), FieldCodec.readSubscriptions(in));
  }
}
