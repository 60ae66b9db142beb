package io.fjordmq.router;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The keys of routes.
 *
 * <pre>
 * key    u16 bucket | string tenant | string filter text | receiver
 *        receiver of a node:   u8 0 | string node | u64 incarnation | string member
 *        receiver of an inbox: u8 1 | string client id | u64 incarnation
 * string = varint length, UTF-8
 * </pre>
 *
 * The bucket is a hash of tenant and filter, which spreads routes evenly over the ranges. All
 * routes of a filter are adjacent.
 */
public final class RouteKeys {
  public static final int BUCKETS = 1 << 16;
  private static final int LIVE = 0;
  private static final int INBOX = 1;

  private RouteKeys() {}

  public static byte[] of(Route route) {
    return of(RouteId.of(route));
  }

  public static byte[] of(RouteId route) {
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

  /**
   * @throws MalformedBytesException if the bytes are not the key of a route
   */
  static RouteId decode(byte[] key) {
    ByteReader in = new ByteReader(key);
    in.readShort();
    String tenant = in.readString();
    TopicFilter filter = readFilter(in);
    Receiver receiver = readReceiver(in);
    in.requireEnd();
    return new RouteId(tenant, filter, receiver);
  }

  /**
   * Returns the first key of the routes of this key's filter, which all stay in one range. Returns
   * a shorter key, which starts a bucket or a tenant, unchanged.
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

  /**
   * Returns a folded FNV-1a hash. The hash is part of the storage format, so it must never change.
   */
  public static int bucketOf(String tenant, String filter) {
    int hash = 0x811C9DC5;
    for (byte b : (tenant + '\0' + filter).getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * 0x01000193;
    }
    return (hash ^ (hash >>> 16)) & 0xFFFF;
  }

  /** Returns the split keys that divide the key space evenly into this many ranges. */
  static List<byte[]> evenSplits(int ranges) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 1; i < ranges; i++) {
      int bucket = (int) ((long) i * BUCKETS / ranges);
      keys.add(new byte[] {(byte) (bucket >>> 8), (byte) bucket});
    }
    return keys;
  }
}
