package io.fjordmq.router;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormatException;
import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Encodes routes as rows of the store.
 *
 * <pre>
 * key    u16 bucket | string tenant | string filter text | receiver
 *        receiver of a node:   u8 0 | string node | u64 incarnation | string member
 *        receiver of an inbox: u8 1 | string client id | u64 incarnation
 * value  u8 version, 1 | u8 options | varint subscription identifier
 *        options: bits 0-1 max QoS, 2 no local, 3 retain as published, 4-5 retain handling
 * string = varint length, UTF-8
 * </pre>
 *
 * The bucket is a hash of tenant and filter, which spreads routes evenly over the ranges. All
 * routes of a filter are adjacent.
 */
final class RouteCodec {
  static final int BUCKETS = 1 << 16;
  private static final int VERSION = 1;
  private static final int LIVE = 0;
  private static final int INBOX = 1;
  private static final int NO_LOCAL = 1 << 2;
  private static final int RETAIN_AS_PUBLISHED = 1 << 3;
  private static final int RETAIN_HANDLING_SHIFT = 4;
  private static final RetainHandling[] RETAIN_HANDLINGS = RetainHandling.values();

  private RouteCodec() {}

  static byte[] key(Route route) {
    return key(RouteId.of(route));
  }

  static byte[] key(RouteId route) {
    String filter = route.filter().text();
    ByteWriter out = new ByteWriter(64 + filter.length());
    out.writeShort(bucketOf(route.tenant(), filter));
    out.writeString(route.tenant()).writeString(filter);
    Receiver receiver = route.receiver();
    if (receiver instanceof Receiver.Live live) {
      out.writeByte(LIVE)
          .writeString(live.node())
          .writeLong(live.incarnation())
          .writeString(live.member());
    } else {
      Receiver.Inbox inbox = (Receiver.Inbox) receiver;
      out.writeByte(INBOX).writeString(inbox.clientId()).writeLong(inbox.incarnation());
    }
    return out.toByteArray();
  }

  static byte[] value(SubscriptionOptions options) {
    int bits =
        options.maxQos().level()
            | (options.noLocal() ? NO_LOCAL : 0)
            | (options.retainAsPublished() ? RETAIN_AS_PUBLISHED : 0)
            | options.retainHandling().ordinal() << RETAIN_HANDLING_SHIFT;
    return new ByteWriter(8)
        .writeByte(VERSION)
        .writeByte(bits)
        .writeVarint(options.identifier())
        .toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not the row of a route
   */
  static Route decode(byte[] key, byte[] value) {
    RouteId id = decodeKey(key);
    return new Route(id.tenant(), id.filter(), id.receiver(), readOptions(new ByteReader(value)));
  }

  /**
   * @throws MalformedBytesException if the bytes are not the key of a route
   */
  static RouteId decodeKey(byte[] key) {
    ByteReader in = new ByteReader(key);
    in.readShort();
    String tenant = in.readString();
    TopicFilter filter = readFilter(in);
    Receiver receiver = readReceiver(in);
    in.requireEnd();
    return new RouteId(tenant, filter, receiver);
  }

  /**
   * Returns where the routes of the key's filter start, which stay in one range. A shorter key,
   * which starts a bucket or a tenant, is returned unchanged.
   */
  static byte[] filterStart(byte[] key) {
    ByteReader in = new ByteReader(key);
    try {
      in.readShort();
      in.readString();
      in.readString();
      return Arrays.copyOf(key, key.length - in.remaining());
    } catch (MalformedBytesException e) {
      return key;
    }
  }

  private static TopicFilter readFilter(ByteReader in) {
    try {
      return TopicFilter.parse(in.readString());
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("invalid topic filter in the key of a route", e);
    }
  }

  private static Receiver readReceiver(ByteReader in) {
    int kind = in.readByte();
    return switch (kind) {
      case LIVE -> new Receiver.Live(in.readString(), in.readLong(), in.readString());
      case INBOX -> new Receiver.Inbox(in.readString(), in.readLong());
      default -> throw NewerFormatException.unknownKind("receiver of a route", kind);
    };
  }

  private static SubscriptionOptions readOptions(ByteReader in) {
    NewerFormatException.require("route", VERSION, in.readByte());
    int bits = in.readByte();
    int qos = bits & 0b11;
    int retainHandling = bits >>> RETAIN_HANDLING_SHIFT;
    if (qos > Qos.EXACTLY_ONCE.level() || retainHandling >= RETAIN_HANDLINGS.length) {
      throw new MalformedBytesException(
          "unknown options of a route: 0x" + Integer.toHexString(bits));
    }
    SubscriptionOptions options =
        new SubscriptionOptions(
            Qos.of(qos),
            (bits & NO_LOCAL) != 0,
            (bits & RETAIN_AS_PUBLISHED) != 0,
            RETAIN_HANDLINGS[retainHandling],
            in.readInt());
    in.requireEnd();
    return options;
  }

  /** Folded FNV-1a hash. Part of the stored format, so it must never change. */
  static int bucketOf(String tenant, String filter) {
    int hash = 0x811C9DC5;
    for (byte b : (tenant + '\0' + filter).getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * 0x01000193;
    }
    return (hash ^ (hash >>> 16)) & 0xFFFF;
  }

  /** The keys that split the key space evenly into this many ranges. */
  static List<byte[]> evenSplits(int ranges) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 1; i < ranges; i++) {
      int bucket = (int) ((long) i * BUCKETS / ranges);
      keys.add(new byte[] {(byte) (bucket >>> 8), (byte) bucket});
    }
    return keys;
  }
}
