package io.fjordmq.broker.nodes;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.range.KeyInterval;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes items. The version of the format is part of the {@link StreamBatch}.
 *
 * <pre>
 * u8 kind, then
 * 1 publish      string tenant | message
 * 2 shared       string tenant | string share | string pattern | string member | options | message
 * 3 appended     handle | varint count | each: varint sequence, options, message
 * 4 refetch      string tenant | string client
 * 5 new leader   interval
 * 6 fenced       handle
 * 7 connected    string tenant | string client | u64 epoch version | u64 index
 * 8 publish      id | as 1
 * 9 shared       id | as 2
 * 10 shared, kept in a store    as 2
 * 11 shared, kept in a store    id | as 2
 * options u8 bits 0-1 QoS, 2 RETAIN | varint count, varint each subscription identifier
 * id      u64 producer | varint sequence | varint lowest sequence that may be resent
 * handle  string tenant | string client | u64 incarnation | varint epoch
 * </pre>
 */
final class ItemCodec {
  private static final int PUBLISH = 1;
  private static final int SHARE_PUBLISH = 2;
  private static final int APPENDED = 3;
  private static final int REFETCH = 4;
  private static final int LEADER_NOTICE = 5;
  private static final int FENCE_NOTICE = 6;
  private static final int CONNECT_NOTICE = 7;
  private static final int REPEATABLE_PUBLISH = 8;
  private static final int REPEATABLE_SHARE_PUBLISH = 9;
  private static final int KEPT_SHARE_PUBLISH = 10;
  private static final int REPEATABLE_KEPT_SHARE_PUBLISH = 11;

  private static final int QOS = 0b11;
  private static final int RETAIN = 1 << 2;

  private ItemCodec() {}

  static byte[] encode(NodeItem item) {
    if (item instanceof NodeItem.Publish publish) {
      ByteWriter out = startItem(PUBLISH, REPEATABLE_PUBLISH, publish.id(), publish.message());
      out.writeString(publish.tenant());
      MessageCodec.write(publish.message(), out);
      return out.toByteArray();
    } else if (item instanceof NodeItem.SharePublish shared) {
      return encode(shared);
    } else if (item instanceof NodeItem.Appended appended) {
      return encode(appended);
    }
    ByteWriter out = new ByteWriter(64);
    if (item instanceof NodeItem.Refetch refetch) {
      out.writeByte(REFETCH);
      writeId(refetch.inbox(), out);
    } else if (item instanceof NodeItem.LeaderNotice led) {
      out.writeByte(LEADER_NOTICE);
      led.routing().write(out);
    } else if (item instanceof NodeItem.FenceNotice fenced) {
      out.writeByte(FENCE_NOTICE);
      writeHandle(fenced.handle(), out);
    } else if (item instanceof NodeItem.ConnectNotice connected) {
      out.writeByte(CONNECT_NOTICE)
          .writeString(connected.tenant())
          .writeString(connected.clientId())
          .writeLong(connected.connectOrder().epochVersion())
          .writeLong(connected.connectOrder().index());
    }
    return out.toByteArray();
  }

  private static byte[] encode(NodeItem.SharePublish shared) {
    ByteWriter out =
        shared.kept()
            ? startItem(
                KEPT_SHARE_PUBLISH, REPEATABLE_KEPT_SHARE_PUBLISH, shared.id(), shared.message())
            : startItem(SHARE_PUBLISH, REPEATABLE_SHARE_PUBLISH, shared.id(), shared.message());
    out.writeString(shared.tenant())
        .writeString(shared.shareName())
        .writeString(shared.pattern())
        .writeString(shared.member());
    writeOptions(shared.qos(), shared.retain(), shared.subscriptionIdentifiers(), out);
    MessageCodec.write(shared.message(), out);
    return out.toByteArray();
  }

  private static byte[] encode(NodeItem.Appended appended) {
    ByteWriter out = startItem(APPENDED, appended.entries().get(0).message());
    writeHandle(appended.handle(), out);
    out.writeVarint(appended.entries().size());
    for (InboxEntry entry : appended.entries()) {
      out.writeVarint(entry.sequence());
      writeOptions(entry.qos(), entry.retain(), entry.subscriptionIdentifiers(), out);
      MessageCodec.write(entry.message(), out);
    }
    return out.toByteArray();
  }

  private static ByteWriter startItem(
      int kind, int repeatable, @Nullable PublishId id, Message message) {
    if (id == null) {
      return startItem(kind, message);
    }
    return startItem(repeatable, message)
        .writeLong(id.producer())
        .writeVarint(id.sequence())
        .writeVarint(id.lowest());
  }

  private static PublishId readPublishId(ByteReader in) {
    return new PublishId(in.readLong(), in.readVarint(), in.readVarint());
  }

  private static ByteWriter startItem(int kind, Message message) {
    return new ByteWriter(96 + message.topic().name().length() + message.payload().length)
        .writeByte(kind);
  }

  private static void writeOptions(Qos qos, boolean retain, List<Integer> ids, ByteWriter out) {
    out.writeByte(qos.level() | (retain ? RETAIN : 0)).writeVarint(ids.size());
    ids.forEach(out::writeVarint);
  }

  private static void writeId(InboxId id, ByteWriter out) {
    out.writeString(id.tenant()).writeString(id.clientId());
  }

  private static void writeHandle(InboxHandle handle, ByteWriter out) {
    writeId(handle.id(), out);
    out.writeLong(handle.incarnation()).writeVarint(handle.epoch());
  }

  /**
   * @throws MalformedBytesException if the bytes are not a valid item
   */
  static NodeItem decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NodeItem item = read(in);
    in.requireEnd();
    return item;
  }

  private static NodeItem read(ByteReader in) {
    int kind = in.readByte();
    return switch (kind) {
      case PUBLISH -> readPublish(in, null);
      case SHARE_PUBLISH -> readSharePublish(in, null, false);
      case KEPT_SHARE_PUBLISH -> readSharePublish(in, null, true);
      case REPEATABLE_PUBLISH -> readPublish(in, readPublishId(in));
      case REPEATABLE_SHARE_PUBLISH -> readSharePublish(in, readPublishId(in), false);
      case REPEATABLE_KEPT_SHARE_PUBLISH -> readSharePublish(in, readPublishId(in), true);
      case APPENDED -> readAppended(in);
      case REFETCH -> new NodeItem.Refetch(readId(in));
      case LEADER_NOTICE -> new NodeItem.LeaderNotice(KeyInterval.read(in));
      case FENCE_NOTICE -> new NodeItem.FenceNotice(readHandle(in));
      case CONNECT_NOTICE ->
          new NodeItem.ConnectNotice(
              in.readString(), in.readString(), new ConnectOrder(in.readLong(), in.readLong()));
      default -> throw NewerFormatException.unknownKind("item between nodes", kind);
    };
  }

  private static NodeItem readPublish(ByteReader in, @Nullable PublishId id) {
    return new NodeItem.Publish(in.readString(), MessageCodec.read(in), id);
  }

  private static NodeItem readSharePublish(ByteReader in, @Nullable PublishId id, boolean kept) {
    String tenant = in.readString();
    String shareName = in.readString();
    String pattern = in.readString();
    String member = in.readString();
    int options = in.readByte();
    return new NodeItem.SharePublish(
        tenant,
        shareName,
        pattern,
        member,
        Qos.of(options & QOS),
        (options & RETAIN) != 0,
        readIdentifiers(in),
        MessageCodec.read(in),
        id,
        kept);
  }

  private static NodeItem readAppended(ByteReader in) {
    InboxHandle handle = readHandle(in);
    int count = in.readCount(4);
    List<InboxEntry> entries = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long sequence = in.readVarint();
      int options = in.readByte();
      List<Integer> identifiers = readIdentifiers(in);
      entries.add(
          new InboxEntry(
              sequence,
              MessageCodec.read(in),
              Qos.of(options & QOS),
              (options & RETAIN) != 0,
              identifiers));
    }
    return new NodeItem.Appended(handle, entries);
  }

  private static List<Integer> readIdentifiers(ByteReader in) {
    int count = in.readCount(1);
    if (count == 0) {
      return List.of();
    }
    List<Integer> identifiers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      identifiers.add(in.readInt());
    }
    return identifiers;
  }

  private static InboxId readId(ByteReader in) {
    return new InboxId(in.readString(), in.readString());
  }

  private static InboxHandle readHandle(ByteReader in) {
    return new InboxHandle(readId(in), in.readLong(), in.readVarint());
  }
}
